// SPDX-License-Identifier: MIT
/*
 * Items picked by tables of their positions, for sets with HAS_TABLES.
 * A part of host_kernels.h, which includes it.
 */
#ifndef COPY_HOST_HOST_KERNELS_TABLES_H
#define COPY_HOST_HOST_KERNELS_TABLES_H

/* The tables are copied first because the compiler must assume that stores modify them. */
INLINE void any_pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps,
	int n_in, int n_out, bool stream)
{
	const int64_t in_stride = table->in_stride_bytes, in_step = table->in_step_bytes;
	const int64_t out_stride = table->out_stride_bytes, out_step = table->out_step_bytes;
	struct picked picked[4][4];

	UNROLL for (int o = 0; o < n_out; o++) UNROLL for (int i = 0; i < n_in; i++) picked[o][i] =
		PICKED(table, o, i);
	for (int64_t step = 0; step < n_steps; step++) {
		TABLE_VEC in[4];

		UNROLL for (int i = 0; i < n_in; i++) in[i] = TABLE_LOAD(src + i * in_stride);
		UNROLL for (int o = 0; o < n_out; o++)
		{
			TABLE_VEC line = PICK_FIRST(picked[o][0], in[0]);

			UNROLL for (int i = 1; i < n_in; i++) line =
				PICK(line, picked[o][i], in[i]);
			if (stream)
				TABLE_STREAM(dst + o * out_stride, line);
			else
				TABLE_STORE(dst + o * out_stride, line);
		}
		src += in_step;
		dst += out_step;
	}
}

enum {
	/* Streamed to one plane before the next: single lines take up to 1.9 times as long. */
	PLANE_RUN_BYTES = 256,
};

/* any_pick() with streaming stores of parts of lines to planes: whole runs of each. */
INLINE void any_stream_planes(
	const struct host_table *table, const char *src, char *dst, int64_t n_steps, int n_in)
{
	const int64_t in_stride = table->in_stride_bytes, in_step = table->in_step_bytes;
	const int64_t most = PLANE_RUN_BYTES / (int64_t)sizeof(TABLE_VEC);

	for (int64_t n; n_steps; n_steps -= n) {
		n = n_steps < most ? n_steps : most;
		for (int o = 0; o < table->n_out; o++) {
			const char *from = src;
			char *to = dst + o * table->out_stride_bytes;
			struct picked picked[4];

			UNROLL for (int i = 0; i < n_in; i++) picked[i] = PICKED(table, o, i);
			for (int64_t k = 0; k < n; k++) {
				TABLE_VEC line = PICK_FIRST(picked[0], TABLE_LOAD(from));

				UNROLL for (int i = 1; i < n_in; i++) line =
					PICK(line, picked[i], TABLE_LOAD(from + i * in_stride));
				TABLE_STREAM(to, line);
				from += in_step;
				to += sizeof(TABLE_VEC);
			}
		}
		src += n * in_step;
		dst += n * (int64_t)sizeof(TABLE_VEC);
	}
}

/* As many vectors of the output as of the input. */
INLINE void equal_pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps,
	int n, bool stream)
{
	if (stream && sizeof(TABLE_VEC) < HOST_LINE && table->out_step_bytes == sizeof(TABLE_VEC))
		any_stream_planes(table, src, dst, n_steps, n);
	else
		any_pick(table, src, dst, n_steps, n, n, stream);
}

/* any_pick() for other numbers of vectors. */
INLINE void many_pick(
	const struct host_table *table, const char *src, char *dst, int64_t n_steps, bool stream)
{
	for (int64_t step = 0; step < n_steps; step++) {
		for (int o = 0; o < table->n_out; o++) {
			TABLE_VEC line = PICK_FIRST(PICKED(table, o, 0), TABLE_LOAD(src));

			for (int i = 1; i < table->n_in; i++)
				line = PICK(line, PICKED(table, o, i),
					TABLE_LOAD(src + i * table->in_stride_bytes));
			if (stream)
				TABLE_STREAM(dst + o * table->out_stride_bytes, line);
			else
				TABLE_STORE(dst + o * table->out_stride_bytes, line);
		}
		src += table->in_step_bytes;
		dst += table->out_step_bytes;
	}
}

/* Constant numbers keep the tables in registers. */
INLINE void choose_pick(
	const struct host_table *table, const char *src, char *dst, int64_t n_steps, bool stream)
{
	switch (table->n_in * 16 + table->n_out) {
	case 0x11:
		any_pick(table, src, dst, n_steps, 1, 1, stream);
		break;
	case 0x21:
		any_pick(table, src, dst, n_steps, 2, 1, stream);
		break;
	case 0x31:
		any_pick(table, src, dst, n_steps, 3, 1, stream);
		break;
	case 0x41:
		any_pick(table, src, dst, n_steps, 4, 1, stream);
		break;
	case 0x22:
		equal_pick(table, src, dst, n_steps, 2, stream);
		break;
	case 0x33:
		equal_pick(table, src, dst, n_steps, 3, stream);
		break;
	case 0x44:
		equal_pick(table, src, dst, n_steps, 4, stream);
		break;
	default:
		many_pick(table, src, dst, n_steps, stream);
	}
}

static void pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps)
{
	choose_pick(table, src, dst, n_steps, false);
}

static void stream_pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps)
{
	choose_pick(table, src, dst, n_steps, true);
}

#ifdef TABLE_LOAD_VALID
INLINE void any_nest_by_table(const struct host_table *table, const char *src, char *dst,
	const struct copy_loop *planes, int n_in)
{
	const int64_t in_stride = table->in_stride_bytes, out_stride = table->out_stride_bytes;
	const int64_t last = table->n_items - table->step_items;

	for (int64_t k = 0; k < planes->n; k++) {
		for (int64_t step = 0, at = 0; step < table->n_steps;
			step++, at += table->step_items) {
			const int64_t first = at < last ? at : last;
			const char *from = src + first * table->in_step_bytes;
			char *to = dst + first * table->out_step_bytes;
			TABLE_VEC in[4];

			UNROLL for (int i = 0; i < n_in; i++) in[i] =
				TABLE_LOAD_VALID(from + i * in_stride, table->in_valid[i]);
			for (int o = 0; o < table->n_out; o++) {
				TABLE_VEC line = PICK_FIRST(PICKED(table, o, 0), in[0]);

				UNROLL for (int i = 1; i < n_in; i++) line =
					PICK(line, PICKED(table, o, i), in[i]);
				TABLE_STORE_VALID(to + o * out_stride, table->out_valid[o], line);
			}
		}
		src += planes->src_stride_bytes;
		dst += planes->dst_stride_bytes;
	}
}

static void nest_by_table(
	const struct host_job *job, const char *src, char *dst, const struct host_block *block)
{
	const struct host_table *table = job->table;

	src += table->first_bytes;
	switch (table->n_in) {
	case 1:
		any_nest_by_table(table, src, dst, &block->planes, 1);
		break;
	case 2:
		any_nest_by_table(table, src, dst, &block->planes, 2);
		break;
	case 3:
		any_nest_by_table(table, src, dst, &block->planes, 3);
		break;
	default:
		any_nest_by_table(table, src, dst, &block->planes, 4);
	}
}
#endif

#endif
