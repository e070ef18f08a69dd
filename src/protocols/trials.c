// SPDX-License-Identifier: MIT
#include "protocols/trials.h"

#include "base/text.h"
#include "model/device.h"
#include "protocols/protocol.h"

const struct trial_kind trial_kinds[] = {
#define ROW(NAME, WORD, FACT, FLAGS) { WORD, FACT, FLAGS },
	TRIAL_LIST(ROW)
#undef ROW
		{ 0 }
};

/* Live trials of DLPack concern streams, as consumers name them by numbers. */
static bool has_streams(const struct fact_interface *interface, int flags)
{
	int64_t code = value_int_or(value_at(interface->declared, "device[0]"), -1);
	enum device_streams streams = device_type_of_code(code)->streams;

	return protocol_of_interface(interface) != &dlpack_protocol ||
	       streams == DEVICE_STREAMS_DRIVEN ||
	       (streams == DEVICE_STREAMS_NUMBERED && (flags & TRIAL_WITHOUT_DRIVER));
}

/* Whether the interface has the subject of the trial. */
static bool has_subject(const struct fact_interface *interface, int flags)
{
	return (!(flags & TRIAL_OF_STREAM) ||
		       !value_is_null(value_get(interface->declared, "stream"))) &&
	       (!(flags & TRIAL_OF_EXCHANGE) ||
		       !value_is_null(value_get(interface->details, "exchange")));
}

bool trial_applies(struct arena *arena, const struct job *job, const struct trial_kind *kind,
	const struct fact_interface *interface)
{
	const struct protocol *protocol = protocol_of_interface(interface);

	return protocol && protocol->trials && interface->status == INTERFACE_OK &&
	       text_lists_word(protocol->trials, kind->name) && (job->facts & kind->fact) &&
	       has_subject(interface, kind->flags) &&
	       (kind->fact != FACT_LIVE || has_streams(interface, kind->flags)) &&
	       job_has_step(job, job_trial_step(arena, kind->name, protocol->name));
}

/* --- records --- */

/* The names of a lost worker's status are also those of a trial's outcome. */
static enum trial_outcome outcome_of_status(enum target_status status)
{
	enum trial_outcome outcome = TRIAL_NULL;
	const char *name = target_status_name(status);

	if (name)
		trial_outcome_from_name(name, &outcome);
	return outcome;
}

bool trial_take_record(struct arena *arena, const struct job_trial *id,
	const struct fact_target *tried, const struct fact_trial_step *last_step,
	struct fact_trial *record)
{
	const char *where = "";

	if (tried->trials.n_items) {
		*record = tried->trials.items[0];
		return true;
	}
	*record =
		(struct fact_trial){ .present = true, .trial = id->name, .protocol = id->protocol };
	if (last_step->present) {
		record->outcome = outcome_of_status(tried->status);
		record->error = tried->error;
		record->step = last_step->step;
		record->counts = last_step->counts;
		return true;
	}
	if (tried->status && tried->step)
		where = arena_printf(
			arena, " (%s, step %s)", target_status_name(tried->status), tried->step);
	record->outcome = TRIAL_SKIPPED;
	record->error = (struct fact_error){ .present = true,
		.type = tried->error.type,
		.message = arena_printf(arena, "the object could not be created again%s: %s", where,
			tried->error.message ? tried->error.message : "no reason was reported") };
	return false;
}
