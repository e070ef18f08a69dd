// SPDX-License-Identifier: MIT
/* The list of rule tables, in the order in which they run: EACH(x) is `const struct rule x_rules[]`
 * of rules/<family>/x.c. */
#ifndef RULES_ENGINE_FAMILIES_H
#define RULES_ENGINE_FAMILIES_H

#define RULE_FAMILIES(EACH)      \
	EACH(sycl_dict)          \
	EACH(sycl_layout)        \
	EACH(sycl_object)        \
	EACH(sycl_memory)        \
	EACH(sycl_device)        \
	EACH(cuda_dict)          \
	EACH(cuda_type)          \
	EACH(cuda_layout)        \
	EACH(cuda_stream)        \
	EACH(cuda_driver)        \
	EACH(dlpack_access)      \
	EACH(dlpack_struct)      \
	EACH(dlpack_type)        \
	EACH(dlpack_layout)      \
	EACH(dlpack_memory)      \
	EACH(dlpack_agreement)   \
	EACH(dlpack_keywords)    \
	EACH(dlpack_stream)      \
	EACH(dlpack_copies)      \
	EACH(dlpack_lifetime)    \
	EACH(exchange)           \
	EACH(numpy)              \
	EACH(numpy_struct)       \
	EACH(numpy_memory)       \
	EACH(buffer)             \
	EACH(buffer_calls)       \
	EACH(buffer_memory)      \
	EACH(again)              \
	EACH(attribute_lifetime) \
	EACH(order)              \
	EACH(npy)                \
	EACH(pairs)              \
	EACH(cross)              \
	EACH(cross_device)       \
	EACH(piece)              \
	EACH(tiling)             \
	EACH(consumer)           \
	EACH(trace)

/* Prefixes of ids that no protocol's descriptor has: EACH(prefix, what the rules check). */
#define RULE_OTHER_PREFIXES(EACH)                    \
	EACH("DLC", "consumers of arrays")           \
	EACH("CXA", "__dlpack_c_exchange_api__")     \
	EACH("TRC", "exchanges of running programs") \
	EACH("PCS", "pieces of distributed arrays")  \
	EACH("XPR", "all interfaces of an object together")

#endif
