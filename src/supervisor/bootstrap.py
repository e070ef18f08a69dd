# SPDX-License-Identifier: MIT
# What Python runs first, embedded or executed: rejects an interpreter that the module is not built
# for, otherwise loads the module and calls it. Arguments: the channel, the module's file, embed or exec,
# and the offset in the channel where a refusal goes (channel_state.refusal). Python 2.7 can read
# it, so that it can report its version. It imports built-in modules only: sys.path may contain
# files named like those of the standard library. It is a file and not `-c`, for which Python 3.13
# imports linecache, possibly from the working directory.
def start():
    import posix, sys
    channel, module, host, offset = sys.argv[1:]
    for name in 'start', '__file__', '__cached__':
        globals().pop(name, None)
    if not getattr(sys.flags, 'safe_path', False):
        del sys.path[0]
    kind = getattr(getattr(sys, 'implementation', None), 'name', 'cpython')
    flags = getattr(sys, 'abiflags', '')
    is_abi3 = '.cpython-' not in module
    if is_abi3:
        fits = sys.version_info >= (3, 11) and 't' not in flags
    else:
        fits = '.cpython-%d%d%s-' % (sys.version_info[0], sys.version_info[1], flags) in module
    if kind == 'cpython' and fits:
        import _imp
        class spec:
            name = '_suai'
            origin = module
        try:
            suai = _imp.create_dynamic(spec)
        except ImportError:
            refusal = 'cannot load suai\'s module: %s' % sys.exc_info()[1]
        else:
            suai.run(channel, host)
    else:
        version = '.'.join([str(part) for part in sys.version_info[:3]])
        refusal = 'it is %s %s; %s' % (
            kind.replace('cp', 'CP'), version + 't' * ('t' in flags),
            'this suai is built for interpreters with the GIL; install suai with pip of this interpreter, which builds a module for it'
            if is_abi3 and 't' in flags and kind == 'cpython' else
            'suai requires CPython 3.11 or newer' if is_abi3 else
            'this suai was built for ' + module.split('.')[-2])
    fd = posix.open(channel, 2) if channel[0] == '/' else int(channel)
    posix.lseek(fd, int(offset), 0)
    posix.write(fd, refusal.encode('utf-8', 'replace')[:1000])
    posix._exit(1)
start()
