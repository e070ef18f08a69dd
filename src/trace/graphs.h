// SPDX-License-Identifier: MIT
/*
 * Copies of CUDA graphs: each launch of an executable graph makes those of its memcpy nodes, also
 * of child graphs. Nodes of conditional bodies are not counted, since the device decides how often
 * they run. Handles are those of the driver. Call without the lock of trace/lock.h.
 */
#ifndef TRACE_GRAPHS_H
#define TRACE_GRAPHS_H

#include "trace/driver_copies.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of the driver that are looked up where libraries look up the others; NULL: none. */
struct graph_driver {
	int (*nodes)(uintptr_t graph, uintptr_t *nodes, size_t *n_nodes);
	int (*node_type)(uintptr_t node, int *type);
	int (*copy_of_node)(uintptr_t node, struct volume_copy *copy);
	int (*child_of_node)(uintptr_t node, uintptr_t *graph);
};
extern struct graph_driver trace_graph_driver;

/* An executable graph was made, or updated, from a graph, which still exists; it is destroyed. */
void trace_graph_instantiated(uintptr_t executable, uintptr_t graph);
void trace_graph_updated(uintptr_t executable, uintptr_t graph);
void trace_graph_destroyed(uintptr_t executable);

/* A node of the graph that an executable one was made from makes another copy there, which may be
 * in CUgraphNodeParams of any type of node; it makes its copy or none. */
void trace_graph_node_changed(uintptr_t executable, uintptr_t node, const struct volume_copy *copy);
void trace_graph_parameters_changed(uintptr_t executable, uintptr_t node, const void *parameters);
void trace_graph_node_enabled(uintptr_t executable, uintptr_t node, bool is_enabled);

/* Adds the copies of a launch. */
void trace_graph_launched(uintptr_t executable, struct driver_copies *copies);

#endif
