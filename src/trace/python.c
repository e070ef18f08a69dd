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

/* name2: an older name; NULL: none. */
static bool find_python_function(const char *name, const char *name2, void *out)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found && name2)
		found = dlsym(RTLD_DEFAULT, name2);
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

bool trace_python_find(void)
{
	struct trace_python *python = &trace_python;
	const struct {
		const char *name, *name2;
		void *out;
	} functions[] = {
		{ "PyCapsule_New", NULL, &python->capsule_new },
		{ "PyCapsule_SetName", NULL, &python->capsule_set_name },
		{ "PyCapsule_GetName", NULL, &python->capsule_get_name },
		{ "PyCapsule_GetPointer", NULL, &python->capsule_get_pointer },
		{ "PyCapsule_SetDestructor", NULL, &python->capsule_set_destructor },
		{ "PyCapsule_GetDestructor", NULL, &python->capsule_get_destructor },
		{ "PyObject_GetBuffer", NULL, &python->get_buffer },
		{ "PyBuffer_Release", NULL, &python->release_buffer },
		{ "PyMemoryView_FromObject", NULL, &python->memoryview_from },
		{ "PyErr_Occurred", NULL, &python->err_occurred },
		{ "PyErr_Clear", NULL, &python->err_clear },
		{ "PyEval_GetFrame", NULL, &python->eval_get_frame },
		{ "PyEval_GetGlobals", NULL, &python->eval_get_globals },
		{ "PyFrame_GetBack", NULL, &python->frame_get_back },
		{ "PyFrame_GetGlobals", NULL, &python->frame_get_globals },
		{ "PyFrame_GetCode", NULL, &python->frame_get_code },
		{ "PyFrame_GetLineNumber", NULL, &python->frame_get_line },
		{ "PyFrame_GetLasti", NULL, &python->frame_get_lasti },
		{ "PyCode_Addr2Line", NULL, &python->code_line_at },
		{ "PyFrame_GetLocals", NULL, &python->frame_get_locals },
		{ "PyMapping_GetItemString", NULL, &python->mapping_get },
		{ "PyObject_GetAttrString", NULL, &python->get_attribute },
		{ "PyUnicode_AsUTF8AndSize", NULL, &python->text_as_utf8 },
		{ "PyUnicode_EncodeFSDefault", NULL, &python->text_encode },
		{ "PyBytes_AsStringAndSize", NULL, &python->bytes_as_text },
		{ "Py_DecRef", NULL, &python->dec_ref },
		{ "PyObject_Type", NULL, &python->type_of },
		{ "PyType_GetSlot", NULL, &python->type_get_slot },
		{ "PyType_IsSubtype", NULL, &python->type_is_subtype },
		{ "PyUnicode_FromString", NULL, &python->text_from_utf8 },
		{ "PyUnicode_InternFromString", NULL, &python->text_intern },
		{ "PyImport_GetModule", NULL, &python->import_get_module },
		{ "PyLong_AsSsize_t", NULL, &python->integer_as_size },
		{ "PyNumber_Index", NULL, &python->number_index },
		{ "PyGILState_Check", NULL, &python->gil_check },
		{ "PyEval_RestoreThread", NULL, &python->restore_thread },
		{ "PyGILState_GetThisThreadState", NULL, &python->thread_state_of_this },
		{ "PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet",
			&python->thread_state_current },
		{ "PyObject_Call", NULL, &python->call },
		{ "PyObject_Vectorcall", NULL, &python->vectorcall },
		{ "PyVectorcall_Call", NULL, &python->vectorcall_call },
		{ "PyObject_CallNoArgs", NULL, &python->call_no_arguments },
		{ "PyObject_CallOneArg", NULL, &python->call_one },
		{ "PyObject_SetAttrString", NULL, &python->set_attribute },
		{ "PyCFunction_GetFlags", NULL, &python->function_get_flags },
		{ "PyCFunction_GetFunction", NULL, &python->function_get_function },
		{ "PyCFunction_NewEx", NULL, &python->function_new },
		{ "PyDict_GetItemString", NULL, &python->dict_get },
		{ "PyDict_SetItemString", NULL, &python->dict_set },
		{ "PyDict_Size", NULL, &python->dict_size },
		{ "PyImport_GetModuleDict", NULL, &python->import_modules },
		{ "PyTuple_GetItem", NULL, &python->tuple_get },
		{ "PyTuple_Size", NULL, &python->tuple_size },
		{ "PyDescr_NewGetSet", NULL, &python->descriptor_new },
		{ "PyType_FromSpec", NULL, &python->type_from_spec },
		{ "PyType_FromSpecWithBases", NULL, &python->type_from_spec_with_bases },
		{ "PyType_GenericAlloc", NULL, &python->type_allocate },
		{ "PyObject_GenericGetAttr", NULL, &python->generic_get_attribute },
		{ "PyObject_GetAttr", NULL, &python->get_attribute_of },
		{ "PyObject_SetAttr", NULL, &python->set_attribute_of },
		{ "PyObject_Repr", NULL, &python->represent },
		{ "PyObject_Hash", NULL, &python->hash },
		{ "PyObject_RichCompare", NULL, &python->compare },
		{ "PyMethod_New", NULL, &python->method_new },
		{ "Py_BuildValue", NULL, &python->build_value },
		{ "PyType_Modified", NULL, &python->type_modified },
		{ "Py_IncRef", NULL, &python->inc_ref },
		{ "PyDict_Next", NULL, &python->dict_next },
		{ "PyDict_GetItemWithError", NULL, &python->dict_get_object },
		{ "PyList_Size", NULL, &python->list_size },
		{ "PyList_GetItem", NULL, &python->list_get },
		{ "PyObject_GenericGetDict", NULL, &python->get_own_dict },
		{ "PyModule_GetDict", NULL, &python->module_get_dict },
		{ "PyImport_ImportModule", NULL, &python->import_module },
		{ "PyType_GetName", NULL, &python->type_get_name },
		{ "PyWeakref_NewRef", NULL, &python->new_weak_reference },
		{ "PyInterpreterState_Get", NULL, &python->interpreter_of_this },
		{ "PyInterpreterState_Main", NULL, &python->interpreter_main },
		{ "PyInterpreterState_ThreadHead", NULL, &python->first_thread_state },
		{ "PyThreadState_Next", NULL, &python->next_thread_state },
		{ "PyObject_GC_IsTracked", NULL, &python->is_tracked },
		{ "PyGC_Disable", NULL, &python->gc_disable },
		{ "PyGC_Enable", NULL, &python->gc_enable },
		{ "PyFloat_Type", NULL, &python->float_type },
		{ "PyLong_Type", NULL, &python->integer_type },
		{ "PyComplex_Type", NULL, &python->complex_type },
		{ "PyBool_Type", NULL, &python->bool_type },
		{ "PyList_Type", NULL, &python->list_type },
		{ "PyUnicode_Type", NULL, &python->text_type },
		{ "PyBytes_Type", NULL, &python->bytes_type },
		{ "PyModule_Type", NULL, &python->module_type },
		{ "PyDict_Type", NULL, &python->dict_type },
		{ "PyTuple_Type", NULL, &python->tuple_type },
		{ "PyType_Type", NULL, &python->type_type },
		{ "PyDictProxy_Type", NULL, &python->proxy_type },
		{ "PyCapsule_Type", NULL, &python->capsule_type },
		{ "PyMemoryView_Type", NULL, &python->memoryview_type },
		{ "PyBaseObject_Type", NULL, &python->object_type },
		{ "PyProperty_Type", NULL, &python->property_type },
		{ "PyGetSetDescr_Type", NULL, &python->getset_type },
		{ "PyWrapperDescr_Type", NULL, &python->wrapper_type },
		{ "_Py_NoneStruct", NULL, &python->none },
		{ "Py_Version", NULL, &python->version },
		{ "_PyRuntime", NULL, &python->runtime },
		{ "Py_IsInitialized", NULL, &python->is_initialized },
		{ "Py_IsFinalizing", "_Py_IsFinalizing", &python->is_finalizing },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!find_python_function(functions[i].name, functions[i].name2, functions[i].out))
			return false;
	if (find_python_function("PyDict_GetItemStringRef", NULL, &dict_get_reference))
		python->dict_get = get_item_silently;
	find_python_function("PyFrame_GetVar", NULL, &python->frame_get_variable);
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

void *trace_type_attribute(void *type, const char *name)
{
	void *text = trace_python.text_from_utf8(name);
	void *value = text ? trace_python.generic_get_attribute(type, text) : NULL;

	trace_python.dec_ref(text);
	return value;
}
