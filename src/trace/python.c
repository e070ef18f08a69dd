// SPDX-License-Identifier: MIT
#include "trace/python.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

struct trace_python trace_python;

bool trace_python_exists(void)
{
	return dlsym(RTLD_DEFAULT, "PyCapsule_New") != NULL;
}

/* older_name: NULL: none. */
static bool find_python_symbol(const char *name, const char *older_name, void *out)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found && older_name)
		found = dlsym(RTLD_DEFAULT, older_name);
	memcpy(out, &found, sizeof(found));
	return found != NULL;
}

const char *trace_utf8(void *text, ptrdiff_t *n_bytes)
{
	const char *utf8 = trace_python.text_as_utf8(text, n_bytes);

	if (!utf8 && trace_python.err_occurred())
		trace_python.err_clear();
	return utf8;
}

static int (*dict_get_reference)(void *dictionary, const char *key, void **value);

/* In place of PyDict_GetItemString(), which, from 3.13 on, writes to standard error if there is no
 * memory for the key. */
static void *get_item_silently(void *dictionary, const char *key)
{
	void *value = NULL;

	if (dict_get_reference(dictionary, key, &value) < 0)
		trace_python.err_clear();
	trace_python.dec_ref(value); /* the dictionary has one */
	return value;
}

/* The functions and objects that must exist, with their places in trace_python. */
static const struct {
	const char *name, *older_name; /* NULL: none */
	void *out;
} symbols[] = {
	{ "PyCapsule_New", NULL, &trace_python.capsule_new },
	{ "PyCapsule_SetName", NULL, &trace_python.capsule_set_name },
	{ "PyCapsule_GetName", NULL, &trace_python.capsule_get_name },
	{ "PyCapsule_GetPointer", NULL, &trace_python.capsule_get_pointer },
	{ "PyCapsule_SetDestructor", NULL, &trace_python.capsule_set_destructor },
	{ "PyCapsule_GetDestructor", NULL, &trace_python.capsule_get_destructor },
	{ "PyObject_GetBuffer", NULL, &trace_python.get_buffer },
	{ "PyBuffer_Release", NULL, &trace_python.release_buffer },
	{ "PyMemoryView_FromObject", NULL, &trace_python.memoryview_from },
	{ "PyErr_Occurred", NULL, &trace_python.err_occurred },
	{ "PyErr_Clear", NULL, &trace_python.err_clear },
	{ "PyEval_GetFrame", NULL, &trace_python.eval_get_frame },
	{ "PyEval_GetGlobals", NULL, &trace_python.eval_get_globals },
	{ "PyFrame_GetBack", NULL, &trace_python.frame_get_back },
	{ "PyFrame_GetGlobals", NULL, &trace_python.frame_get_globals },
	{ "PyFrame_GetCode", NULL, &trace_python.frame_get_code },
	{ "PyFrame_GetLineNumber", NULL, &trace_python.frame_get_line },
	{ "PyFrame_GetLasti", NULL, &trace_python.frame_get_lasti },
	{ "PyCode_Addr2Line", NULL, &trace_python.code_line_at },
	{ "PyFrame_GetLocals", NULL, &trace_python.frame_get_locals },
	{ "PyMapping_GetItemString", NULL, &trace_python.mapping_get },
	{ "PyObject_GetAttrString", NULL, &trace_python.get_attribute },
	{ "PyUnicode_AsUTF8AndSize", NULL, &trace_python.text_as_utf8 },
	{ "PyUnicode_EncodeFSDefault", NULL, &trace_python.text_encode },
	{ "PyBytes_AsStringAndSize", NULL, &trace_python.bytes_as_text },
	{ "Py_DecRef", NULL, &trace_python.dec_ref },
	{ "PyObject_Type", NULL, &trace_python.type_of },
	{ "PyType_GetSlot", NULL, &trace_python.type_get_slot },
	{ "PyType_IsSubtype", NULL, &trace_python.type_is_subtype },
	{ "PyUnicode_FromString", NULL, &trace_python.text_from_utf8 },
	{ "PyUnicode_InternFromString", NULL, &trace_python.text_intern },
	{ "PyImport_GetModule", NULL, &trace_python.import_get_module },
	{ "PyLong_AsSsize_t", NULL, &trace_python.integer_as_size },
	{ "PyNumber_Index", NULL, &trace_python.number_index },
	{ "PyGILState_Check", NULL, &trace_python.gil_check },
	{ "PyEval_RestoreThread", NULL, &trace_python.restore_thread },
	{ "PyGILState_GetThisThreadState", NULL, &trace_python.thread_state_of_this },
	{ "PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet",
		&trace_python.thread_state_current },
	{ "PyObject_Call", NULL, &trace_python.call },
	{ "PyObject_Vectorcall", NULL, &trace_python.vectorcall },
	{ "PyVectorcall_Call", NULL, &trace_python.vectorcall_call },
	{ "PyObject_CallNoArgs", NULL, &trace_python.call_no_arguments },
	{ "PyObject_CallOneArg", NULL, &trace_python.call_one },
	{ "PyObject_SetAttrString", NULL, &trace_python.set_attribute },
	{ "PyCFunction_GetFlags", NULL, &trace_python.function_get_flags },
	{ "PyCFunction_GetFunction", NULL, &trace_python.function_get_function },
	{ "PyCFunction_NewEx", NULL, &trace_python.function_new },
	{ "PyDict_GetItemString", NULL, &trace_python.dict_get },
	{ "PyDict_SetItemString", NULL, &trace_python.dict_set },
	{ "PyDict_Size", NULL, &trace_python.dict_size },
	{ "PyImport_GetModuleDict", NULL, &trace_python.import_modules },
	{ "PyTuple_GetItem", NULL, &trace_python.tuple_get },
	{ "PyTuple_Size", NULL, &trace_python.tuple_size },
	{ "PyDescr_NewGetSet", NULL, &trace_python.descriptor_new },
	{ "PyType_FromSpec", NULL, &trace_python.type_from_spec },
	{ "PyType_FromSpecWithBases", NULL, &trace_python.type_from_spec_with_bases },
	{ "PyType_GenericAlloc", NULL, &trace_python.type_allocate },
	{ "PyObject_GenericGetAttr", NULL, &trace_python.generic_get_attribute },
	{ "PyObject_GetAttr", NULL, &trace_python.get_attribute_of },
	{ "PyObject_SetAttr", NULL, &trace_python.set_attribute_of },
	{ "PyObject_Repr", NULL, &trace_python.represent },
	{ "PyObject_Hash", NULL, &trace_python.hash },
	{ "PyObject_RichCompare", NULL, &trace_python.compare },
	{ "PyMethod_New", NULL, &trace_python.method_new },
	{ "Py_BuildValue", NULL, &trace_python.build_value },
	{ "PyType_Modified", NULL, &trace_python.type_modified },
	{ "Py_IncRef", NULL, &trace_python.inc_ref },
	{ "PyDict_Next", NULL, &trace_python.dict_next },
	{ "PyDict_GetItemWithError", NULL, &trace_python.dict_get_object },
	{ "PyList_Size", NULL, &trace_python.list_size },
	{ "PyList_GetItem", NULL, &trace_python.list_get },
	{ "PyObject_GenericGetDict", NULL, &trace_python.get_own_dict },
	{ "PyModule_GetDict", NULL, &trace_python.module_get_dict },
	{ "PyImport_ImportModule", NULL, &trace_python.import_module },
	{ "PyType_GetName", NULL, &trace_python.type_get_name },
	{ "PyWeakref_NewRef", NULL, &trace_python.new_weak_reference },
	{ "PyInterpreterState_Get", NULL, &trace_python.interpreter_of_this },
	{ "PyInterpreterState_Main", NULL, &trace_python.interpreter_main },
	{ "PyInterpreterState_ThreadHead", NULL, &trace_python.first_thread_state },
	{ "PyThreadState_Next", NULL, &trace_python.next_thread_state },
	{ "PyObject_GC_IsTracked", NULL, &trace_python.is_tracked },
	{ "PyGC_Disable", NULL, &trace_python.gc_disable },
	{ "PyGC_Enable", NULL, &trace_python.gc_enable },
	{ "PyFloat_Type", NULL, &trace_python.float_type },
	{ "PyLong_Type", NULL, &trace_python.integer_type },
	{ "PyComplex_Type", NULL, &trace_python.complex_type },
	{ "PyBool_Type", NULL, &trace_python.bool_type },
	{ "PyList_Type", NULL, &trace_python.list_type },
	{ "PyUnicode_Type", NULL, &trace_python.text_type },
	{ "PyBytes_Type", NULL, &trace_python.bytes_type },
	{ "PyModule_Type", NULL, &trace_python.module_type },
	{ "PyMethodDescr_Type", NULL, &trace_python.method_descriptor_type },
	{ "PyModuleDef_Type", NULL, &trace_python.module_definition_type },
	{ "PyDict_Type", NULL, &trace_python.dict_type },
	{ "PyTuple_Type", NULL, &trace_python.tuple_type },
	{ "PyType_Type", NULL, &trace_python.type_type },
	{ "PyDictProxy_Type", NULL, &trace_python.proxy_type },
	{ "PyCapsule_Type", NULL, &trace_python.capsule_type },
	{ "PyMemoryView_Type", NULL, &trace_python.memoryview_type },
	{ "PyBaseObject_Type", NULL, &trace_python.object_type },
	{ "PyProperty_Type", NULL, &trace_python.property_type },
	{ "PyGetSetDescr_Type", NULL, &trace_python.getset_type },
	{ "PyWrapperDescr_Type", NULL, &trace_python.wrapper_type },
	{ "_Py_NoneStruct", NULL, &trace_python.none },
	{ "Py_Version", NULL, &trace_python.version },
	{ "_PyRuntime", NULL, &trace_python.runtime },
	{ "Py_IsInitialized", NULL, &trace_python.is_initialized },
	{ "Py_IsFinalizing", "_Py_IsFinalizing", &trace_python.is_finalizing },
};

bool trace_python_find(void)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!find_python_symbol(symbols[i].name, symbols[i].older_name, symbols[i].out))
			return false;
	if (find_python_symbol("PyDict_GetItemStringRef", NULL, &dict_get_reference))
		trace_python.dict_get = get_item_silently;
	find_python_symbol("PyFrame_GetVar", NULL, &trace_python.frame_get_variable);
	return true;
}

unsigned int trace_python_version(void)
{
	uint32_t version;

	memcpy(&version, trace_python.version, sizeof(version));
	return version >> 16;
}

bool trace_is_main_interpreter(void)
{
	return trace_python.interpreter_of_this() == trace_python.interpreter_main();
}

void *trace_local_variable(void *frame, void *name)
{
	void *locals, *value = NULL;
	const char *text;

	if (trace_python.frame_get_variable) {
		value = trace_python.frame_get_variable(frame, name);
	} else {
		locals = trace_python.frame_get_locals(frame);
		text = locals ? trace_utf8(name, NULL) : NULL;
		value = text ? trace_python.mapping_get(locals, text) : NULL;
		trace_python.dec_ref(locals);
	}
	if (!value && trace_python.err_occurred())
		trace_python.err_clear();
	return value;
}

bool trace_is_exactly(void *object, const void *type)
{
	void *own = trace_python.type_of(object);

	trace_python.dec_ref(own);
	return own == type;
}

bool trace_is_instance(void *object, void *type)
{
	void *own = object ? trace_python.type_of(object) : NULL;
	bool is = own && trace_python.type_is_subtype(own, type);

	trace_python.dec_ref(own);
	return is;
}

void *trace_python_module(const char *name)
{
	void *module = trace_python.dict_get(trace_python.import_modules(), name);

	if (!trace_is_instance(module, trace_python.module_type))
		return NULL;
	trace_python.inc_ref(module);
	return module;
}

void *trace_module_of_globals(void *globals)
{
	void *name = trace_python.dict_get(globals, "__name__"), *module = NULL;
	const char *text = name && trace_is_exactly(name, trace_python.text_type)
				   ? trace_utf8(name, NULL)
				   : NULL;

	if (text)
		module = trace_python_module(text);
	if (module && trace_python.module_get_dict(module) != globals) {
		trace_python.dec_ref(module);
		module = NULL;
	}
	return module;
}

void *trace_module_attribute(void *module, const char *name)
{
	void *value =
		module ? trace_python.dict_get(trace_python.module_get_dict(module), name) : NULL;

	trace_python.inc_ref(value);
	return value;
}

void *trace_call_method(void *object, const char *name)
{
	void *method = trace_python.get_attribute(object, name);
	void *value = method ? trace_python.call_no_arguments(method) : NULL;

	trace_python.dec_ref(method);
	return value;
}

uint64_t trace_address_by_method(void *object, const char *name)
{
	void *value = trace_call_method(object, name);
	ptrdiff_t address = value ? trace_python.integer_as_size(value) : 0;

	trace_python.dec_ref(value);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return address > 0 ? (uint64_t)address : 0;
}

void *trace_type_attribute(void *type, const char *name)
{
	void *text = trace_python.text_from_utf8(name);
	void *value = text ? trace_python.generic_get_attribute(type, text) : NULL;

	trace_python.dec_ref(text);
	return value;
}
