// SPDX-License-Identifier: MIT
/* Which options are keys of suai.yaml: those whose row shows an example of their value there. */
#include "settings/settings.h"

#include <string.h>

/* The i-th key of one table, or the one of that name; *i counts down. */
static const struct option *find_in(const struct option *row, const char *name, size_t *i)
{
	for (; row && row->name; row++)
		if (row->setting && (name ? !strcmp(row->name, name) : !(*i)--))
			return row;
	return NULL;
}

/* The commands' own rows first, then the shared ones. */
static const struct option *find(const char *name, size_t i, const struct command **owner)
{
	const struct option *row;

	for (size_t k = 0; commands[k]; k++) {
		row = find_in(commands[k]->options, name, &i);
		*owner = commands[k];
		if (row)
			return row;
	}
	*owner = NULL;
	row = find_in(target_options, name, &i);
	return row ? row : find_in(shared_options, name, &i);
}

const struct option *settings_key_at(size_t i, const struct command **owner)
{
	return find(NULL, i, owner);
}

const struct option *settings_key(const char *name, const struct command **owner)
{
	return find(name, 0, owner);
}
