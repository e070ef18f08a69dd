// SPDX-License-Identifier: MIT
/* The flag of a gate, and the thread that opens the gate. Calls neither a driver nor Python. */
#include "devices/gate.h"

#include <time.h>

void gate_open(struct gate *gate)
{
	void (*complete)(void *context) = gate->complete;

	gate->complete = NULL;
	if (complete)
		complete(gate->context);
	__atomic_store_n(gate->flag, 1, __ATOMIC_SEQ_CST);
}

static struct timespec time_after(int after_ms)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += after_ms / 1000;
	time.tv_nsec += after_ms % 1000 * 1000000L;
	if (time.tv_nsec >= 1000000000L) {
		time.tv_sec++;
		time.tv_nsec -= 1000000000L;
	}
	return time;
}

static void *watch(void *opaque)
{
	struct gate *gate = opaque;
	struct timespec end = time_after(gate->after_ms);
	int late = 0;

	pthread_mutex_lock(&gate->mutex);
	while (!gate->has_left && !late)
		late = pthread_cond_timedwait(&gate->left, &gate->mutex, &end);
	if (!gate->has_left) {
		gate->was_opened = true;
		gate_open(gate);
	}
	pthread_mutex_unlock(&gate->mutex);
	return NULL;
}

static void gate_destroy_lock(struct gate *gate)
{
	pthread_cond_destroy(&gate->left);
	pthread_mutex_destroy(&gate->mutex);
}

int gate_watch(struct gate *gate, int after_ms)
{
	pthread_condattr_t attributes;

	gate->after_ms = after_ms;
	gate->has_left = gate->was_opened = false;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&gate->mutex, NULL);
	pthread_cond_init(&gate->left, &attributes);
	pthread_condattr_destroy(&attributes);
	gate->is_watched = !pthread_create(&gate->watcher, NULL, watch, gate);
	if (!gate->is_watched)
		gate_destroy_lock(gate);
	return gate->is_watched ? 0 : -1;
}

bool gate_unwatch(struct gate *gate)
{
	if (!gate->is_watched)
		return false;
	pthread_mutex_lock(&gate->mutex);
	gate->has_left = true;
	pthread_cond_signal(&gate->left);
	pthread_mutex_unlock(&gate->mutex);
	pthread_join(gate->watcher, NULL);
	gate_destroy_lock(gate);
	gate->is_watched = false;
	return gate->was_opened;
}
