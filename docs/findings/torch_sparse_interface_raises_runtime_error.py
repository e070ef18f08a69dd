# SPDX-License-Identifier: MIT
"""`__cuda_array_interface__` of compressed sparse and of MKL-DNN tensors raises RuntimeError.

Library: PyTorch 2.15
Rules: CAI001
Clause: CUDA Array Interface, version 3, Python Interface Specification; Python library reference, version 3, hasattr
Impact: consumers that test `hasattr(x, "__cuda_array_interface__")`, such as `numba.cuda.is_cuda_array`: only
    AttributeError means that the attribute is missing, so their users see a PyTorch error. COO tensors do not have it.
"""

import torch

assert not hasattr(torch.eye(3).to_sparse(), "__cuda_array_interface__")
for tensor in torch.eye(3).to_sparse_csr(), torch.eye(3).to_sparse_csc(), torch.eye(3).to_mkldnn():
    try:
        hasattr(tensor, "__cuda_array_interface__")
        raise AssertionError("returned")
    except RuntimeError as error:
        assert "Unimplemented backend" in str(error)
