# SPDX-License-Identifier: MIT
"""Prints to standard output in every way."""
import os
import subprocess
import sys

from healthy import Healthy, good

print('print')
print('original', file=sys.__stdout__, flush=True)
os.write(1, b'descriptor\n')
os.system('echo program')

bad = Healthy()
