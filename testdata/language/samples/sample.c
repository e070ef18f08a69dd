// SPDX-License-Identifier: MIT
/* a folder */
static const char *folder = "no such"
			    " file or "
			    "folder\n";
