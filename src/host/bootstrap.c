// SPDX-License-Identifier: MIT
/*
 * The bootstrap, in words that Python 2.7 can read as well, so that it can say what it is. It uses
 * built-in modules alone: a script's folder may hold an os.py. A refusal goes into the channel
 * (channel_state.refusal).
 */
#include "host/bootstrap.h"

const char bootstrap_source[] =
	"def start():\n"
	"    import posix, sys\n"
	"    del globals()['start']\n"
	"    channel, module, host, offset = sys.argv[1:]\n"
	"    kind = getattr(getattr(sys, 'implementation', None), 'name', 'cpython')\n"
	"    flags = getattr(sys, 'abiflags', '')\n"
	"    if kind == 'cpython' and sys.version_info >= (3, 11) and 't' not in flags:\n"
	"        import _imp\n"
	"        class spec:\n"
	"            name = '_suai'\n"
	"            origin = module\n"
	"        try:\n"
	"            suai = _imp.create_dynamic(spec)\n"
	"        except ImportError:\n"
	"            refusal = 'cannot load the module: %s' % sys.exc_info()[1]\n"
	"        else:\n"
	"            suai.run(channel, host)\n"
	"    else:\n"
	"        version = '.'.join([str(part) for part in sys.version_info[:3]])\n"
	"        refusal = 'it is %s %s; suai needs CPython 3.11 or newer, with the GIL' % (\n"
	"            kind.replace('cp', 'CP'), version + 't' * ('t' in flags))\n"
	"    fd = posix.open(channel, 2) if channel[0] == '/' else int(channel)\n"
	"    posix.lseek(fd, int(offset), 0)\n"
	"    posix.write(fd, refusal.encode('utf-8', 'replace')[:1000])\n"
	"    posix._exit(1)\n"
	"start()\n";
