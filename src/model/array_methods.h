// SPDX-License-Identifier: MIT
/*
 * Methods by which objects without an array interface return an array, in order of preference:
 * name; another attribute that the type must have, or NULL if the name suffices; the call; and
 * whether the array can need far more memory than the object, whose elements are sparse or in a
 * file. to_numpy() is not among them: the tables that include these lines have others between it
 * and them.
 */
#ifndef MODEL_ARRAY_METHODS_H
#define MODEL_ARRAY_METHODS_H

#define ARRAY_METHOD_LIST(EACH)                                                                \
	EACH("to_ndarray", NULL, "to_ndarray()", false),                                       \
		EACH("asnumpy", NULL, "asnumpy()", false),                                     \
		EACH("get_value", "set_value", "get_value()", false), /* PyTensor */           \
		EACH("toarray", NULL, "toarray()", true),                                      \
		EACH("todense", NULL, "todense()", true),                                      \
		EACH("to_dense", "to_coo", "to_dense(0)", true),   /* GraphBLAS */             \
		EACH("getbuffer", NULL, "getbuffer()", false),     /* io.BytesIO */            \
		EACH("get_fdata", NULL, "get_fdata()", true),      /* images of NiBabel */     \
		EACH("get_data", "ch_names", "get_data()", false), /* recordings of MNE */     \
		EACH("asarray", "aszarr", "asarray()", true),      /* tifffile */              \
		EACH("full", "dag", "full()", true),               /* QuTiP */                 \
		EACH("to_array", "adjoint", "to_array()", true),   /* QuTiP */                 \
		EACH("GetPositions", "GetAtomPosition", "GetPositions()", false), /* RDKit */  \
		EACH("get", "isSubmatrix", "get()", false),                       /* OpenCV */ \
		EACH("get", "get_async", "get()", false)                          /* PyOpenCL */

#endif
