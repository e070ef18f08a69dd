// SPDX-License-Identifier: MIT
/* Facts of an object, and of what the consumer did with it, by which causes are found. */
#ifndef WHY_SITUATION_H
#define WHY_SITUATION_H

#include "facts/facts.h"
#include "model/device.h"

#include <stdbool.h>

struct situation {
	struct arena *arena;
	const struct fact_target *target;
	const struct fact_why *why;
	/* Of the interface that the consumer reads, as far as its name shows that; otherwise of the
	 * first interface that has one; or NULL. */
	const struct fact_array *array;
	const char *message;  /* of the exception, in lower case */
	const char *consumer; /* in lower case */
};

/* The situation of target->why. Keeps target, and texts in the arena. */
struct situation why_situation(struct arena *arena, const struct fact_target *target);

/* The element type, also one of ml_dtypes, which NumPy's interfaces declare as raw bytes. NULL:
 * unknown. */
const char *why_element_type(const struct situation *at);

/* The element type behind the type that an interface declares; NULL for NULL. */
const char *why_known_type(const char *declared, const struct fact_target *target);

/* What rejects the elements: "the consumer", or "the object's __dlpack__" if that raises the
 * exception. */
const char *why_unsupporting(const struct situation *at);

/* "float32" of "torch.float32" */
const char *why_type_name(const char *type);

/* NumPy's name of a number that Polars, pandas or PyArrow names "Int64", "boolean" or
 * "double[pyarrow]"; of other types, theirs in lower case. */
const char *why_number_name(struct arena *arena, const char *type);

/* The device of the array, whose number may be that of the memory. */
struct device why_device(const struct situation *at);

/* --- facts --- */

bool why_has_rare_type(const struct situation *at);
bool why_has_foreign_type(const struct situation *at); /* that DLPack cannot describe */
bool why_has_foreign_order(const struct situation *at);
bool why_lacks_dlpack_type(const struct situation *at); /* and its __dlpack__() raises */
bool why_lacks_protocol(const struct situation *at);
bool why_becomes_object(const struct situation *at); /* an element of an array that NumPy makes */
bool why_is_off_host(const struct situation *at);
bool why_is_on_host(const struct situation *at); /* an interface shows it */
bool why_is_readonly(const struct situation *at);
bool why_is_strided(const struct situation *at);
bool why_is_misaligned(const struct situation *at);
bool why_is_unaligned(const struct fact_target *target); /* not to 64 bytes */
bool why_lacks_memory(const struct situation *at);       /* as the exception states */
bool why_has_no_dims(const struct situation *at);
bool why_has_no_or_many_dims(const struct situation *at);
bool why_has_no_elements(const struct situation *at);
bool why_has_pending_operation(const struct situation *at);
bool why_is_masked(const struct situation *at); /* of an object with a pending operation */
bool why_is_lazy(const struct situation *at);   /* conjugated or negated */
bool why_is_sharded(const struct situation *at);
bool why_exports_legacy(const struct situation *at);
bool why_is_malformed(const struct situation *at);  /* each interface that returns a value */
bool why_has_malformed(const struct situation *at); /* an interface that returns a value */
bool why_has_sound(const struct situation *at);     /* an interface, by why_detail_malformed() */
bool why_rejects_one_argument(const struct situation *at); /* of the consumer's own signature */
bool why_rejects_keyword(const struct situation *at);      /* that the expression passes */
#define WHY_IS_OF_OBJECTS "the result is an array of Python objects"
#define WHY_NO_KEYWORDS "() takes no keyword arguments"
bool why_takes_no_keywords(const struct situation *at);
/* Where the expression passes it, or the first one to a function that takes none; NULL: it does
 * not. */
const char *why_rejected_keyword(const struct situation *at, const char *expression);
bool why_is_consumer_missing(const struct situation *at);
bool why_is_consumer_module(const struct situation *at);   /* "numpy(_)", "numpy:linalg" */
bool why_may_have_nulls(const struct fact_target *target); /* as its library's arrays */
bool why_has_nulls(const struct situation *at);          /* as an interface of the object states */
bool why_names_type(const struct situation *at);         /* the exception, that of the object */
bool why_names_element_type(const struct situation *at); /* the exception */
bool why_names_method(const struct situation *at);       /* the exception: an interface's method */
bool why_is_producer_lost(const struct situation *at);   /* in its own method, as in the consumer */
bool why_has_only_array_method(
	const struct situation *at);                /* __array__(), which raises the exception */
bool why_has_no_memory(const struct situation *at); /* a number, a list, None */
/* Whether NumPy can read the object: by an interface, or by __array__(). */
bool why_is_read_by_numpy(const struct fact_target *target);
/* Whether NumPy, which reads no interface of the object, made an array of its items, which are of
 * its type. */
bool why_is_list_of_arrays(const struct situation *at, const struct fact_why *result);
/* Whether its interfaces declare NULL as the address of its elements. */
bool why_has_null_data(const struct situation *at);
bool why_has_invalid_device(const struct situation *at); /* according to __dlpack_device__() */
bool why_reads_arrow(const struct situation *at); /* the object's Arrow interface, the only one */
bool why_is_exit(const struct situation *at);     /* an exception of sys.exit() */
bool why_is_of_producer(const struct situation *at); /* an exception of the object's own method */
bool why_cannot_export(const struct situation *at);  /* of __dlpack__() without arguments */

/* --- details of them, for messages --- */

const char *why_detail_device(const struct situation *at);
const char *why_detail_type(const struct situation *at);
const char *why_detail_strides(const struct situation *at);
const char *why_detail_pending(const struct situation *at);
const char *why_detail_pending_state(const struct situation *at); /* a sentence */
const char *why_detail_protocols(const struct situation *at);
const char *why_detail_exposed(const struct situation *at);
const char *why_detail_size(const struct situation *at);
const char *why_detail_dims(const struct situation *at);
const char *why_detail_shards(const struct situation *at);
const char *why_detail_alignment(const struct situation *at);
const char *why_detail_error(const struct situation *at);
/* What is wrong with an interface that cannot be described, or whose elements are not in readable
 * memory: "dlpack: shape is NULL but ndim is 2"; NULL: nothing. */
const char *why_detail_malformed(const struct situation *at);

/* Whether the exception states that a copy is necessary but forbidden. */
bool why_is_copy_forbidden(const struct situation *at);

/* The message on what makes the copy necessary, after a statement that one is forbidden, if it is.
 */
const char *why_add_forbidden_copy(const struct situation *at, const char *message);

/* Sets the cause and the message of an exception. */
void why_explain_refusal(const struct situation *at, struct fact_why *why);

/* Sets the cause and the message from the exception of an interface, if no interface of the object
 * can be read. False: none raised an exception. */
bool why_explain_unreadable(const struct situation *at, struct fact_why *why);

/* Whether the cause is doubtful: facts and exception do not both indicate it. */
bool why_is_refusal_doubtful(const struct situation *at);

#endif
