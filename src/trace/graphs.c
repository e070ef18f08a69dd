// SPDX-License-Identifier: MIT
#include "trace/graphs.h"

#include "trace/lock.h"
#include "trace/map.h"

#include <stdlib.h>

enum {
	NODE_COPIES = 1,         /* CU_GRAPH_NODE_TYPE_MEMCPY */
	NODE_IS_GRAPH = 4,       /* CU_GRAPH_NODE_TYPE_GRAPH */
	NODE_VOLUME_OFFSET = 32, /* of CUDA_MEMCPY3D in CUgraphNodeParams of NODE_COPIES */
	MAX_CHILD_DEPTH = 32,    /* of child graphs that are searched */
};

struct node_copy {
	uintptr_t node;
	struct driver_copy copy;
	bool is_disabled;
};

/* The copies of an executable graph, including those within the host or a device, which may become
 * others. */
struct graph_copies {
	size_t n_copies, capacity;
	struct node_copy *copies;
};

struct graph_driver trace_graph_driver;

static struct trace_map copies_by_graph; /* struct graph_copies * of an executable graph */

/* Without memory, later copies are not counted. */
static void add_node_copy(struct graph_copies *graph, uintptr_t node)
{
	struct volume_copy volume;
	struct node_copy *grown;
	size_t capacity = graph->capacity ? 2 * graph->capacity : 16;

	if (trace_graph_driver.copy_of_node(node, &volume))
		return;
	if (graph->n_copies == graph->capacity) {
		grown = realloc(graph->copies, capacity * sizeof(*grown));
		if (!grown)
			return;
		graph->copies = grown;
		graph->capacity = capacity;
	}
	graph->copies[graph->n_copies++] =
		(struct node_copy){ .node = node, .copy = trace_copy_of_volume(&volume) };
}

/* The nodes of a graph, to be freed; NULL: none, or no memory. */
static uintptr_t *read_graph_nodes(uintptr_t graph, size_t *n_nodes)
{
	uintptr_t *nodes;

	*n_nodes = 0;
	if (trace_graph_driver.nodes(graph, NULL, n_nodes) || !*n_nodes)
		return NULL;
	nodes = calloc(*n_nodes, sizeof(*nodes));
	if (nodes && trace_graph_driver.nodes(graph, nodes, n_nodes)) {
		free(nodes);
		return NULL;
	}
	return nodes;
}

static void add_graph_copies(struct graph_copies *copies, uintptr_t graph, int depth)
{
	size_t n_nodes;
	uintptr_t *nodes = read_graph_nodes(graph, &n_nodes), child;
	int type;

	for (size_t i = 0; nodes && i < n_nodes; i++) {
		if (trace_graph_driver.node_type(nodes[i], &type))
			continue;
		if (type == NODE_COPIES)
			add_node_copy(copies, nodes[i]);
		else if (type == NODE_IS_GRAPH && depth < MAX_CHILD_DEPTH &&
			 !trace_graph_driver.child_of_node(nodes[i], &child))
			add_graph_copies(copies, child, depth + 1);
	}
	free(nodes);
}

static struct graph_copies *read_graph(uintptr_t graph)
{
	struct graph_copies *copies = calloc(1, sizeof(*copies));

	if (copies)
		add_graph_copies(copies, graph, 0);
	return copies;
}

static void free_graph_copies(struct graph_copies *copies)
{
	if (copies)
		free(copies->copies);
	free(copies);
}

void trace_graph_destroyed(uintptr_t executable)
{
	uint64_t removed = 0;

	trace_lock();
	trace_map_remove(&copies_by_graph, executable, &removed);
	trace_unlock();
	free_graph_copies((struct graph_copies *)(uintptr_t)removed);
}

/* Called with the lock; NULL: none. */
static struct graph_copies *find_graph_copies(uintptr_t executable)
{
	uint64_t *found = executable ? trace_map_find(&copies_by_graph, executable) : NULL;

	return found ? (struct graph_copies *)(uintptr_t)*found : NULL;
}

static void keep_graph_copies(uintptr_t executable, struct graph_copies *copies)
{
	bool is_kept = false;

	if (copies && copies->n_copies) {
		trace_lock();
		is_kept = trace_map_set(&copies_by_graph, executable, (uintptr_t)copies);
		trace_unlock();
	}
	if (!is_kept)
		free_graph_copies(copies);
}

static bool can_read_graphs(void)
{
	return trace_graph_driver.nodes && trace_graph_driver.node_type &&
	       trace_graph_driver.copy_of_node && trace_graph_driver.child_of_node;
}

void trace_graph_instantiated(uintptr_t executable, uintptr_t graph)
{
	if (!executable || !can_read_graphs())
		return;
	trace_graph_destroyed(executable);
	keep_graph_copies(executable, read_graph(graph));
}

/* The nodes of both graphs are the same in the same order: otherwise, the driver does not update. A
 * node that is disabled remains so. */
void trace_graph_updated(uintptr_t executable, uintptr_t graph)
{
	struct graph_copies *copies, *updated;

	if (!can_read_graphs())
		return;
	copies = read_graph(graph);
	trace_lock();
	updated = find_graph_copies(executable);
	if (copies && updated && copies->n_copies == updated->n_copies)
		for (size_t i = 0; i < copies->n_copies; i++)
			updated->copies[i].copy = copies->copies[i].copy;
	trace_unlock();
	free_graph_copies(copies);
}

static struct node_copy *find_node_copy(uintptr_t executable, uintptr_t node)
{
	struct graph_copies *graph = find_graph_copies(executable);

	for (size_t i = 0; graph && i < graph->n_copies; i++)
		if (graph->copies[i].node == node)
			return &graph->copies[i];
	return NULL;
}

void trace_graph_node_changed(uintptr_t executable, uintptr_t node, const struct volume_copy *copy)
{
	struct driver_copy changed = trace_copy_of_volume(copy);
	struct node_copy *found;

	trace_lock();
	found = find_node_copy(executable, node);
	if (found)
		found->copy = changed;
	trace_unlock();
}

void trace_graph_parameters_changed(uintptr_t executable, uintptr_t node, const void *parameters)
{
	const int *type = parameters;
	const char *bytes = parameters;

	if (*type == NODE_COPIES)
		trace_graph_node_changed(
			executable, node, (const void *)(bytes + NODE_VOLUME_OFFSET));
}

void trace_graph_node_enabled(uintptr_t executable, uintptr_t node, bool is_enabled)
{
	struct node_copy *found;

	trace_lock();
	found = find_node_copy(executable, node);
	if (found)
		found->is_disabled = !is_enabled;
	trace_unlock();
}

void trace_graph_launched(uintptr_t executable, struct driver_copies *copies)
{
	const struct graph_copies *graph;

	trace_lock();
	graph = find_graph_copies(executable);
	for (size_t i = 0; graph && i < graph->n_copies; i++)
		if (!graph->copies[i].is_disabled)
			trace_copies_add(copies, graph->copies[i].copy);
	trace_unlock();
}
