class Exporter: pass
declared = {'shape': (2,), 'typestr': '<f4', 'data': (4096, False), 'version': 3, 1: 2, b'x': [1], 'y': 3}
numpy, cuda, sycl = Exporter(), Exporter(), Exporter()
numpy.__array_interface__ = declared
cuda.__cuda_array_interface__ = declared
sycl.__sycl_usm_array_interface__ = dict(declared, version=1, syclobj='cpu')
