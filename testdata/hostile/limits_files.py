# SPDX-License-Identifier: MIT
"""No files, processes and locked memory, little stack, no environment, and no permissions of new files."""
import os
import resource

from healthy import good

for limit, value in (('FSIZE', 0), ('NPROC', 0), ('MEMLOCK', 0), ('STACK', 1 << 16)):
    number = getattr(resource, 'RLIMIT_' + limit)
    resource.setrlimit(number, (value, resource.getrlimit(number)[1]))
os.umask(0o777)
os.environ.clear()
bad = good
