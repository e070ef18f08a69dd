"""judge_memory.py COMMAND...: runs suai without output and prints the peak anonymous memory of the judge in KiB.

It excludes the workers and the ring shared with them. The value is sampled; exits with the status of suai."""

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
