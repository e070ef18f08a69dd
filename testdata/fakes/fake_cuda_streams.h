// SPDX-License-Identifier: MIT
/*
 * Streams of the fake CUDA driver: lists of work, done in order when they are queried. Blocking
 * streams and the legacy default one do not wait for each other.
 */
enum { MAX_STREAMS = 64, MAX_WORK = 256, MAX_RECORDS = 1 << 12 };

struct event {
	unsigned n_recorded;
	bool is_captured; /* its last record is in a graph */
	bool is_done[MAX_RECORDS]; /* each record, the first being 1 */
};

struct work {
	enum { WORK_COPY, WORK_GATE, WORK_RECORD, WORK_WAIT } kind;
	void *to;
	const void *from;
	size_t n_bytes;
	volatile unsigned *flag;
	struct event *event;
	unsigned number; /* of the event's records, the one that is meant */
};

struct stream {
	int magic;
	struct context *context;
	unsigned flags;
	struct work work[MAX_WORK];
	int n_work;
};

static struct stream *streams[MAX_STREAMS];
static struct stream legacy = { .magic = 0x57ea1 }, per_thread = { .magic = 0x57ea1 };
static struct stream *capturing;
static bool is_invalidated;

static struct stream *new_stream(struct context *context, unsigned flags)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int i = 2;

	streams[0] = &legacy;
	streams[1] = &per_thread;
	while (i < MAX_STREAMS - 1 && streams[i] && streams[i]->magic)
		i++;
	stream->magic = 0x57ea1;
	stream->context = context;
	stream->flags = flags;
	return streams[i] = stream;
}

/* NULL and 1 are the legacy default stream, 2 is the per-thread one. */
static struct stream *stream_at(struct stream *handle)
{
	uintptr_t number = (uintptr_t)handle;

	return number <= 1 ? &legacy : number == 2 ? &per_thread : handle;
}

/* Does the first work of a stream if it is ready; whether it was. */
static bool do_first(struct stream *stream)
{
	struct work *work = stream->work;

	if (work->kind == WORK_GATE && !*work->flag)
		return false;
	if (work->kind == WORK_WAIT && !work->event->is_done[work->number % MAX_RECORDS])
		return false;
	if (work->kind == WORK_COPY)
		memcpy(work->to, work->from, work->n_bytes);
	if (work->kind == WORK_RECORD)
		work->event->is_done[work->number % MAX_RECORDS] = true;
	memmove(work, work + 1, (size_t)--stream->n_work * sizeof(*work));
	return true;
}

static bool is_done(const struct event *event)
{
	return !event->n_recorded || event->is_done[event->n_recorded % MAX_RECORDS];
}

static bool advance_one(struct stream *stream)
{
	bool moved = false;

	while (stream && stream->n_work && do_first(stream))
		moved = true;
	return moved;
}

static void advance(void)
{
	bool moved = true;

	while (moved) {
		moved = advance_one(&legacy) | advance_one(&per_thread);
		for (int i = 2; i < MAX_STREAMS; i++)
			moved |= advance_one(streams[i]);
	}
}

/* Captured work is not done. */
static void submit(struct stream *stream, struct work work)
{
	if (stream == capturing)
		return;
	if (stream->n_work < MAX_WORK)
		stream->work[stream->n_work++] = work;
	advance();
}

/* Waits for a stream, or (NULL) for all; an error while one is captured. */
static void finish(struct stream *stream)
{
	bool busy = true;

	is_invalidated |= capturing != NULL;
	for (; busy && !capturing; usleep(100)) {
		advance();
		busy = false;
		for (int i = 2; i < MAX_STREAMS; i++)
			busy |= streams[i] && streams[i]->n_work &&
				(!stream || stream == streams[i]);
		busy |= (!stream || stream == &legacy) && legacy.n_work;
		busy |= (!stream || stream == &per_thread) && per_thread.n_work;
	}
}
