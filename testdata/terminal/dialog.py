# SPDX-License-Identifier: MIT
"""dialog.py PROMPT ANSWER [PROMPT ANSWER]... -- COMMAND...: runs a command as the foreground job of a new terminal. Types
each ANSWER (with Python's escapes; ^C is \\x03) after its PROMPT appears. Prints what the terminal showed and exits with
the command's status, with 128 + the signal that terminated it, or with 99 after two minutes."""
import os
import pty
import select
import sys
import time

words = sys.argv[1 : sys.argv.index("--")]
steps = list(zip(words[::2], words[1::2]))
command = sys.argv[sys.argv.index("--") + 1 :]
pid, terminal = pty.fork()
if not pid:
    os.execvp(command[0], command)
shown, seen, code = b"", 0, 99
end = time.monotonic() + 120
while time.monotonic() < end:
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        block = os.read(terminal, 65536)
    except OSError:
        block = b""
    if not block:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        break
    shown += block
    if steps and steps[0][0].encode() in shown[seen:]:
        seen = len(shown)
        time.sleep(0.3)
        os.write(terminal, steps.pop(0)[1].encode().decode("unicode_escape").encode())
sys.stdout.write(shown.decode(errors="replace").replace("\r\n", "\n"))
sys.stdout.flush()
if code == 99:
    os.kill(pid, 9)
sys.exit(code if code >= 0 else 128 - code)
