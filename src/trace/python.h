// SPDX-License-Identifier: MIT
/* Functions of Python, looked up at run time: all are exported by CPython 3.11 and later, with and
 * without a GIL, static and shared. */
#ifndef TRACE_PYTHON_H
#define TRACE_PYTHON_H

#include "trace/hidden.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*trace_capsule_destructor)(void *capsule);

/* The beginning of Py_buffer, which is part of the stable ABI. */
struct trace_py_buffer {
	void *buf, *obj;
	ptrdiff_t len, item_bytes;
	int is_read_only, n_dimensions;
	char *format; /* NULL: not requested */
};

/* A whole Py_buffer, which has less than that. */
union trace_buffer {
	struct trace_py_buffer head;
	char bytes[256];
};

/* Constants of the stable ABI, by their names in typeslots.h, methodobject.h, structmember.h,
 * object.h and pybuffer.h. */
enum {
	Py_bf_getbuffer = 1,
	Py_nb_index = 13,
	Py_tp_call = 50,
	Py_tp_descr_get = 54,
	Py_tp_descr_set = 55,
	Py_tp_getattro = 58,
	Py_tp_hash = 59,
	Py_tp_init = 60,
	Py_tp_methods = 64,
	Py_tp_new = 65,
	Py_tp_repr = 66,
	Py_tp_richcompare = 67,
	Py_tp_setattro = 69,
	Py_tp_traverse = 71,
	Py_tp_members = 72,
	Py_tp_getset = 73,
	Py_TPFLAGS_DISALLOW_INSTANTIATION = 1 << 7, /* by calling the type */
	Py_TPFLAGS_BASETYPE = 1 << 10,
	Py_TPFLAGS_HAVE_VECTORCALL = 1 << 11,
	METH_VARARGS = 1,
	METH_KEYWORDS = 2,
	METH_NOARGS = 4,
	METH_O = 8,
	METH_FASTCALL = 0x80,
	READONLY = 1,
	T_OBJECT = 6,
	T_PYSSIZET = 19,
	PyBUF_FORMAT = 4,
	PyBUF_FULL_RO = 0x11c,
};

/* PyMethodDef, which is part of the stable ABI. */
struct trace_method_definition {
	const char *name;
	void *function;
	int flags;
	const char *doc;
};

/* PyGetSetDef, PyMemberDef, PyType_Slot and PyType_Spec of the stable ABI. */
struct trace_getset_definition {
	const char *name;
	void *(*get)(void *self, void *closure);
	int (*set)(void *self, void *value, void *closure);
	const char *doc;
	void *closure;
};

struct trace_member_definition {
	const char *name;
	int type;
	ptrdiff_t offset;
	int flags;
	const char *doc;
};

struct trace_type_slot {
	int number;
	void *function;
};

struct trace_type_spec {
	const char *name;
	int n_bytes, item_bytes;
	unsigned int flags;
	struct trace_type_slot *slots;
};

struct trace_python {
	void *(*capsule_new)(void *pointer, const char *name, trace_capsule_destructor destructor);
	int (*capsule_set_name)(void *capsule, const char *name);
	const char *(*capsule_get_name)(void *capsule);
	void *(*capsule_get_pointer)(void *capsule, const char *name);
	int (*capsule_set_destructor)(void *capsule, trace_capsule_destructor destructor);
	trace_capsule_destructor (*capsule_get_destructor)(void *capsule);
	int (*get_buffer)(void *object, struct trace_py_buffer *view, int flags);
	void (*release_buffer)(struct trace_py_buffer *view);
	void *(*memoryview_from)(void *object);
	void *(*err_occurred)(void);
	void (*err_clear)(void);
	void *(*eval_get_frame)(void);
	void *(*eval_get_globals)(void); /* of the code that runs, borrowed; NULL: none */
	void *(*frame_get_back)(void *frame);
	void *(*frame_get_globals)(void *frame);
	void *(*frame_get_code)(void *frame);
	int (*frame_get_line)(void *frame);
	int (*frame_get_lasti)(void *frame); /* the offset of the instruction, in bytes */
	int (*code_line_at)(void *code, int lasti);
	void *(*frame_get_locals)(void *frame);
	/* A local variable, from 3.12 on; NULL: no such function. */
	void *(*frame_get_variable)(void *frame, void *name);
	void *(*mapping_get)(void *mapping, const char *key);
	void *(*get_attribute)(void *object, const char *name);
	const char *(*text_as_utf8)(void *text, ptrdiff_t *n_bytes);
	void *(*text_encode)(void *text); /* as paths are: new bytes */
	int (*bytes_as_text)(void *bytes, char **text, ptrdiff_t *n_bytes);
	void (*dec_ref)(void *object); /* or NULL */
	void *(*type_of)(void *object);
	void *(*type_get_slot)(void *type, int slot);
	int (*type_is_subtype)(void *type, void *base);
	void *(*text_from_utf8)(const char *text);
	void *(*text_intern)(const char *text);
	void *(*import_get_module)(void *name);
	ptrdiff_t (*integer_as_size)(void *integer);
	void *(*number_index)(void *number);
	int (*gil_check)(void);
	void (*restore_thread)(void *thread_state);
	void *(*thread_state_of_this)(void); /* NULL: a thread without Python */
	void *(*thread_state_current)(void); /* that of this thread if it holds the GIL */
	void *(*call)(void *function, void *arguments, void *keywords);
	void *(*vectorcall)(
		void *function, void *const *arguments, size_t n_arguments, void *names);
	void *(*vectorcall_call)(void *function, void *arguments, void *keywords);
	void *(*call_no_arguments)(void *function);
	void *(*call_one)(void *function, void *argument);
	int (*set_attribute)(void *object, const char *name, void *value);
	int (*function_get_flags)(void *function);
	void *(*function_get_function)(void *function);
	void *(*function_new)(void *definition, void *self, void *module);
	void *(*dict_get)(void *dictionary, const char *key);  /* borrowed; clears errors */
	void *(*dict_get_object)(void *dictionary, void *key); /* borrowed */
	int (*dict_set)(void *dictionary, const char *key, void *value);
	ptrdiff_t (*dict_size)(void *dictionary);
	void *(*import_modules)(void);                /* sys.modules, borrowed */
	void *(*tuple_get)(void *tuple, ptrdiff_t i); /* borrowed */
	ptrdiff_t (*tuple_size)(void *tuple);
	void *(*descriptor_new)(void *type, void *definition);
	void (*type_modified)(void *type);
	void (*inc_ref)(void *object);
	int (*dict_next)(void *dictionary, ptrdiff_t *position, void **key, void **value);
	ptrdiff_t (*list_size)(void *list);
	void *(*list_get)(void *list, ptrdiff_t i); /* borrowed */
	void *(*get_own_dict)(void *object, void *context);
	void *(*module_get_dict)(void *module); /* borrowed */
	void *(*import_module)(const char *name);
	void *(*type_get_name)(void *type);
	void *(*new_weak_reference)(void *object, void *callback);
	void *(*interpreter_of_this)(void); /* of this thread */
	void *(*interpreter_main)(void);
	void *(*first_thread_state)(void *interpreter);
	void *(*next_thread_state)(void *thread_state);
	int (*is_tracked)(void *object); /* by the garbage collector */
	int (*gc_disable)(void);         /* whether it was enabled */
	int (*gc_enable)(void);
	void *float_type, *integer_type, *complex_type, *bool_type;
	void *list_type, *text_type, *bytes_type, *module_type;
	void *module_definition_type, *method_descriptor_type;
	void *dict_type, *tuple_type, *type_type, *proxy_type, *capsule_type;
	void *memoryview_type;
	void *object_type;                                /* PyBaseObject_Type */
	void *property_type, *getset_type, *wrapper_type; /* wrapper: of a slot */
	void *none;
	void *version; /* Py_Version, which exists since 3.11 */
	void *runtime; /* _PyRuntime */
	void *(*type_from_spec)(void *spec);
	void *(*type_from_spec_with_bases)(void *spec, void *bases);
	void *(*type_allocate)(void *type, ptrdiff_t n_items);
	void *(*generic_get_attribute)(void *object, void *name);
	void *(*get_attribute_of)(void *object, void *name);
	int (*set_attribute_of)(void *object, void *name, void *value); /* NULL: deletes */
	void *(*represent)(void *object);
	ptrdiff_t (*hash)(void *object);
	void *(*compare)(void *object, void *other, int operation);
	void *(*method_new)(void *function, void *self);
	void *(*build_value)(const char *format, ...);
	int (*is_initialized)(void);
	int (*is_finalizing)(void);
};

extern TRACE_HIDDEN struct trace_python trace_python;

/* Whether the process has an interpreter. */
bool trace_python_exists(void);

/* Of Python: 0x030b for 3.11. */
unsigned int trace_python_version(void);

/* A module that was imported, which the caller releases; NULL: none. Clears errors. */
void *trace_python_module(const char *name);

/* The module that has these global variables, which the caller releases; NULL: none. Waits for no
 * import of another thread. Clears errors. */
void *trace_module_of_globals(void *globals);

/* A global variable of a module, or of NULL, which the caller releases; NULL: none. Unlike reading
 * an attribute, this loads no module that is to be loaded when it is used first. */
void *trace_module_attribute(void *module, const char *name);

/* The result of a method that is called without arguments; NULL: it raised an exception. */
void *trace_call_method(void *object, const char *name);

/* The address that a method without arguments returns; 0: unknown. Clears errors. */
uint64_t trace_address_by_method(void *object, const char *name);

/* An attribute that all types have. Runs no code of a metaclass. */
void *trace_type_attribute(void *type, const char *name);

/* The UTF-8 of a string, as long as that exists; NULL: it has none, as a path that is not UTF-8.
 * Clears errors, so that none must be pending. */
const char *trace_utf8(void *text, ptrdiff_t *n_bytes);

/* Whether the code that runs is that of the first interpreter. Call with the GIL. */
bool trace_is_main_interpreter(void);

/* A local variable of a frame, or one of an enclosing function that it uses, in a new reference;
 * NULL: it has no value. Clears errors. */
void *trace_local_variable(void *frame, void *name);

/* Whether the object's type is exactly the given one. */
bool trace_is_exactly(void *object, const void *type);

/* Whether the object's type is the given one or derived from it; false for NULL. */
bool trace_is_instance(void *object, void *type);

/* Finds all functions; false: one does not exist. */
bool trace_python_find(void);

#endif
