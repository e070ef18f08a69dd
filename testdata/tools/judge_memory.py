"""judge_memory.py COMMAND...: runs suai with no output and prints the most anonymous memory, in KiB, that the judge had.

The judge alone, without its workers and without the ring that it shares with them. Sampled; exits with its exit status."""

import re
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
most = 0
while process.poll() is None:
    with open(f"/proc/{process.pid}/status") as status:
        found = re.search(r"RssAnon:\s*(\d+)", status.read())
    most = max(most, int(found[1]) if found else 0)
    time.sleep(0.002)
print(most)
sys.exit(process.returncode)
