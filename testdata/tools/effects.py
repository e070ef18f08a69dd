# SPDX-License-Identifier: MIT
"""effects.py LOG DIRECTORY: what the processes in a log of `strace -f -y` did to the rest of the machine, a line each, sorted and
without repetitions: "network CALL", "run PROGRAM", "write PATH", "remove PATH". Relative paths are those of the directory that
strace names; ones below DIRECTORY are shown relative to it, and the numbers of temporary names are "*". A file without a name
(O_TMPFILE) is "write unnamed file in PATH". Not listed are calls that failed, sockets of one pair
(socketpair), /dev/null, and descriptors of the processes themselves (memory, pipes and terminals: /proc/PID/fd/N)."""
import os
import re
import sys

LOG, DIRECTORY = sys.argv[1:]
CALL = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<rest>.*)")
# An argument that is a path, after the directory that it is relative to, if the call has one: AT_FDCWD</x>, "y" or 3</x>, "y".
PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<at>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
OWN = re.compile(r"^/proc/(\d+|self)/(fd/\d+|attr/.*)$|^/dev/(null|tty|pts/\d+)$")
NETWORK = {"socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg"}


def calls():
    """Each call as (process, name, arguments and result), joined where strace was interrupted by another process."""
    pending = {}
    for line in open(LOG, errors="replace"):
        match = CALL.match(line)
        if match and line.rstrip().endswith("<unfinished ...>"):
            pending[match["pid"], match["name"]] = match["rest"].rsplit("<unfinished", 1)[0]
        elif match:
            yield match["pid"], match["name"], match["rest"]
        else:
            resumed = re.match(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)", line)
            if resumed and (resumed[1], resumed[2]) in pending:
                yield resumed[1], resumed[2], pending.pop((resumed[1], resumed[2])) + resumed[3]


def absolute(match, working):
    return os.path.normpath(os.path.join(match["at"] or working, match["path"]))


def shown(path):
    if path == DIRECTORY or path.startswith(DIRECTORY + "/"):
        path = os.path.relpath(path, DIRECTORY)
    return re.sub(r"\.\d+-\d+$", ".*", path)


def is_silent(name, rest):
    """What another call that is listed precedes: a message without an address, on a socket that was connected or created as
    one of a pair; and a socket between processes, before it is connected."""
    if name.startswith("send"):
        return not re.search(r"sa_family|sun_path|sin6?_", rest)
    return name == "socket" and rest.startswith(("AF_UNIX", "AF_LOCAL"))


def network_effect(name, rest):
    """With the family and the address, as far as the call has them."""
    words = re.search(r"\bAF_\w+", rest), re.search(r'sun_path=@?"[^"]*"|sin_port=\w+\(\d+\), sin_addr=[^}]*|inet_pton\([^)]*\)', rest)
    return " ".join(["network", name] + [word[0] for word in words if word])


def effect_of(name, rest, working):
    paths = list(PATH.finditer(rest))
    if name in NETWORK:
        return None if is_silent(name, rest) else network_effect(name, rest)
    if not paths:
        return None
    if name in ("execve", "execveat"):
        return "run " + os.path.basename(paths[0]["path"])
    if name in ("open", "openat", "openat2", "creat"):
        path = absolute(paths[0], working)
        if name != "creat" and not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", rest) or OWN.match(path):
            return None
        return "write " + ("unnamed file in " if "O_TMPFILE" in rest else "") + shown(path)
    if name in ("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"):
        return "write " + shown(absolute(paths[-1], working))
    if name in ("mkdir", "mkdirat", "mknod", "mknodat", "truncate", "chmod", "fchmodat", "chown", "lchown", "fchownat", "utimensat",
                "setxattr", "lsetxattr"):
        return "write " + shown(absolute(paths[0], working))
    if name in ("unlink", "unlinkat", "rmdir"):
        return "remove " + shown(absolute(paths[0], working))
    return None


working = {}  # of each process
found = set()
for pid, name, rest in calls():
    if re.search(r"= -1 E[A-Z]+", rest):
        continue
    if "AT_FDCWD<" in rest:
        working[pid] = rest.split("AT_FDCWD<", 1)[1].split(">", 1)[0]
    if name in ("clone", "clone3", "fork", "vfork"):
        working.setdefault(re.search(r"= (\d+)", rest)[1], working.get(pid, DIRECTORY))
    elif name == "chdir":
        working[pid] = absolute(PATH.search(rest), working.get(pid, DIRECTORY))
    else:
        found.add(effect_of(name, rest, working.get(pid, DIRECTORY)))
print("\n".join(sorted(found - {None})))
