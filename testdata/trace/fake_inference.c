// SPDX-License-Identifier: MIT
/* Fakes of OpenVINO, ONNX Runtime, TensorFlow and PaddlePaddle with the types whose methods read
 * arrays of NumPy without a call that could be observed. As with pybind11, a method is a built-in
 * function, with a definition of its own, in an instance method; -DFAST: it takes a vector call.
 * -DSINGLE_PHASE: PyInit_NAME() returns the module. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static const char source[] =
	"import ctypes, numpy\n"
	"class Tensor: pass\n"
	"def __init__(self, array=None, *, shared_memory=False):\n"
	"    if array.dtype.kind == 'U': self.text = array\n"
	"    elif shared_memory and array.strides[-1] != array.itemsize: raise ValueError\n"
	"    else: self.values = array if shared_memory else array.copy()\n"
	"def read_data(self):\n"
	"    if hasattr(self, 'text'): print('warning: strings are copied')\n"
	"    return self.values\n"
	"Tensor.__init__, Tensor.data = built_in(__init__), property(read_data)\n"
	"class OrtValue:\n"
	"    def data_ptr(self): return self.address\n"
	"def ortvalue_from_numpy(array, device=None):\n"
	"    value = OrtValue()\n"
	"    value.address = array.ctypes.data + (0 if array.flags.c_contiguous else 1 << 40)\n"
	"    return value\n"
	"OrtValue.ortvalue_from_numpy = staticmethod(built_in(ortvalue_from_numpy).__func__)\n"
	"class InferenceSession: pass\n"
	"def run(self, names, feed, options):\n"
	"    if names: raise ValueError\n"
	"InferenceSession.run = built_in(run)\n"
	"class SessionIOBinding: pass\n"
	"def bind_input(self, name, array, *more): pass\n"
	"SessionIOBinding.bind_input = built_in(bind_input)\n";

#ifdef FAST
static PyObject *call(PyObject *function, PyObject *const *arguments, Py_ssize_t n, PyObject *names)
{
	return PyObject_Vectorcall(function, arguments, (size_t)n, names);
}
enum { FLAGS = METH_FASTCALL | METH_KEYWORDS };
#else
static PyObject *call(PyObject *function, PyObject *arguments, PyObject *keywords)
{
	return PyObject_Call(function, arguments, keywords);
}
enum { FLAGS = METH_VARARGS | METH_KEYWORDS };
#endif

static PyObject *built_in(PyObject *module, PyObject *function)
{
	PyMethodDef *definition = calloc(1, sizeof(*definition));
	PyObject *name = PyObject_GetAttrString(function, "__name__");

	(void)module;
	definition->ml_name = PyUnicode_AsUTF8(name);
	definition->ml_meth = (PyCFunction)(void *)call;
	definition->ml_flags = FLAGS;
	return PyInstanceMethod_New(PyCFunction_New(definition, function));
}

/* --- TensorFlow's EagerTensor, which has the array of its base class --- */

static int initialize(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	PyObject *method = PyObject_GetAttrString(self, "set"), *result = NULL;

	if (method)
		result = PyObject_Call(method, arguments, keywords);
	Py_XDECREF(method);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	PyObject *array = PyObject_GetAttrString(self, "array");
	int status = array ? PyObject_GetBuffer(array, view, flags) : -1;

	Py_XDECREF(array);
	return status;
}

static PyObject *eager_tensor(PyObject *module, PyObject *base)
{
	static PyType_Slot slots[] = { { Py_tp_init, initialize }, { Py_bf_getbuffer, get_buffer },
		{ 0, NULL } };
	static PyType_Spec spec = { "tensorflow.python.framework.ops.EagerTensor", 0, 0,
		Py_TPFLAGS_DEFAULT, slots };
	PyObject *bases = PyTuple_Pack(1, base), *type = PyType_FromSpecWithBases(&spec, bases);

	(void)module;
	Py_DECREF(bases);
	return type;
}

/* --- PaddlePaddle's Tensor, whose base class exports the array --- */

static PyObject *export_array(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	PyObject *method = PyObject_GetAttrString(self, "export"), *result = NULL;

	if (method)
		result = PyObject_Call(method, arguments, keywords);
	Py_XDECREF(method);
	return result;
}

static PyObject *paddle_tensor(PyObject *module, PyObject *base)
{
	static PyMethodDef methods[] = {
		{ "numpy", (PyCFunction)(void *)export_array, METH_VARARGS | METH_KEYWORDS, NULL },
		{ NULL, NULL, 0, NULL },
	};
	static PyType_Slot slots[] = { { Py_tp_methods, methods }, { 0, NULL } };
	static PyType_Spec spec = { "paddle.Tensor", 0, 0, Py_TPFLAGS_DEFAULT, slots };
	PyObject *bases = PyTuple_Pack(1, base), *type = PyType_FromSpecWithBases(&spec, bases);

	(void)module;
	Py_DECREF(bases);
	return type;
}

static PyMethodDef functions[] = {
	{ "built_in", built_in, METH_O, NULL },
	{ "eager_tensor", eager_tensor, METH_O, NULL },
	{ "paddle_tensor", paddle_tensor, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

static int execute(PyObject *module)
{
	PyObject *variables = PyModule_GetDict(module);
	PyObject *result = PyRun_String(source, Py_file_input, variables, variables);

	Py_XDECREF(result);
	return result ? 0 : -1;
}

static PyModuleDef_Slot slots[] = { { Py_mod_exec, execute }, { 0, NULL } };
static PyModuleDef definition = { PyModuleDef_HEAD_INIT, MODULE_NAME, NULL, 0, functions, slots,
	NULL, NULL, NULL };

PyMODINIT_FUNC MODULE_INIT(void)
{
#ifdef SINGLE_PHASE
	PyObject *module;

	definition.m_slots = NULL;
	definition.m_size = -1;
	module = PyModule_Create(&definition);
	if (module && execute(module))
		Py_CLEAR(module);
	return module;
#else
	return PyModuleDef_Init(&definition);
#endif
}
