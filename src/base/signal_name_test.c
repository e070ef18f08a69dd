// SPDX-License-Identifier: MIT
#include "base/signal_name.h"

#include "base/test.h"

#include <signal.h>
#include <string.h>

int main(void)
{
	char name[SIGNAL_NAME_BYTES];

	for (int number = 1; number <= SIGSYS; number++) {
		const char *abbreviation = sigabbrev_np(number);

		signal_name(number, name);
		CHECK(abbreviation && !strncmp(name, "SIG", 3) && !strcmp(name + 3, abbreviation),
			"%d is %s", number, name);
	}
	CHECK(!strcmp(signal_name(42, name), "signal 42"), "%s", name);
	CHECK(!strcmp(signal_name(0, name), "signal 0"), "%s", name);
	CHECK(!strcmp(signal_name(-1, name), "signal -1"), "%s", name);
	return test_end();
}
