# SPDX-License-Identifier: MIT
"""effects.py LOG DIRECTORY: what the processes in a log of `strace -f` did to the rest of the machine, a line each, sorted and
without repetitions: "network CALL", "run PROGRAM", "write PATH", "remove PATH". Paths below DIRECTORY are relative to it, and
the numbers of temporary names are "*". Not listed are calls that failed, /dev/null, temporary files without a name
(O_TMPFILE), and descriptors of the processes themselves (memory, pipes and terminals: /proc/PID/fd/N)."""
import os
import re
import sys

LOG, DIRECTORY = sys.argv[1:]
CALL = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<rest>.*)")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
OWN = re.compile(r"^/proc/(\d+|self)/(fd/\d+|attr/.*)$|^/dev/(null|tty|pts/\d+)$")


def calls():
    """Each call as (name, arguments and result), joined where strace was interrupted by another process."""
    pending = {}
    for line in open(LOG, errors="replace"):
        match = CALL.match(line)
        if match and line.rstrip().endswith("<unfinished ...>"):
            pending[match["pid"], match["name"]] = match["rest"].rsplit("<unfinished", 1)[0]
        elif match:
            yield match["name"], match["rest"]
        else:
            resumed = re.match(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)", line)
            if resumed and (resumed[1], resumed[2]) in pending:
                yield resumed[2], pending.pop((resumed[1], resumed[2])) + resumed[3]


def shown(path):
    path = os.path.join(DIRECTORY, path)
    if path.startswith(DIRECTORY + "/"):
        path = os.path.relpath(path, DIRECTORY)
    return re.sub(r"\.\d+-\d+$", ".*", path)


found = set()
for name, rest in calls():
    if re.search(r"= -1 E[A-Z]+", rest):
        continue
    strings = STRING.findall(rest)
    if name in ("socket", "connect", "bind", "sendto", "listen"):
        if "AF_UNIX" not in rest and "AF_LOCAL" not in rest:
            found.add(f"network {name}({rest[:60]}")
    elif name == "execve":
        found.add("run " + os.path.basename(strings[0]))
    elif name in ("open", "openat", "openat2", "creat"):
        if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", rest) and "O_TMPFILE" not in rest and not OWN.match(strings[0]):
            found.add("write " + shown(strings[0]))
    elif name in ("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"):
        found.add("write " + shown(strings[-1]))
    elif name in ("mkdir", "mkdirat", "mknod", "mknodat", "truncate", "chmod", "fchmodat", "chown", "fchownat"):
        found.add("write " + shown(strings[0]))
    elif name in ("unlink", "unlinkat", "rmdir"):
        found.add("remove " + shown(strings[0]))
print("\n".join(sorted(found)))
