# SPDX-License-Identifier: MIT
"""Writes what a script sees of its interpreter to the file $STATE."""
import json
import os
import signal
import site
import sys
import sysconfig
import tempfile

state = {
    'executable': sys.executable,
    'prefix': sys.prefix,
    'base_prefix': sys.base_prefix,
    'base_executable': sys._base_executable,
    'path': sys.path,
    'flags': str(sys.flags),
    'warnoptions': sys.warnoptions,
    'argv': sys.argv,
    'version': sys.version,
    'encodings': [sys.getfilesystemencoding(), sys.stdin.encoding, sys.stderr.encoding],
    'site': [site.getsitepackages(), site.ENABLE_USER_SITE],
    'paths': sysconfig.get_paths(),
    'environment': {key: value for key, value in os.environ.items() if key not in ('STATE', '_')},
    'signals': {
        number: str(signal.getsignal(number))
        for number in sorted(signal.valid_signals())
        if number not in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
    },
    'mask': sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    'descriptors': sorted(os.listdir('/proc/self/fd')),
    'folder': os.getcwd(),
    'file': __file__,
    'temporary': tempfile.gettempdir(),
}
with open(os.environ['STATE'], 'w') as out:
    json.dump(state, out, indent=1, default=str)


class Array:
    __array_interface__ = {'version': 3, 'shape': (0,), 'typestr': '<f4', 'data': (0, False)}


array = Array()
