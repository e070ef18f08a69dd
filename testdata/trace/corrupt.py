"""Overwrites the memory that the traced process shares with suai, for bats/trace_programs.bats: at random positions, mostly of the tables."""

import ctypes
import os
import random
import sys

import giver
import taker

random.seed(int(sys.argv[1]))
kept = [taker.consume(giver.export(8, "plain"), "hold" if i % 3 else "release") for i in range(100)]
capsules = [giver.export(8, "plain") for i in range(5)]
with open("/proc/self/maps") as maps:
    low, high = [[int(word, 16) for word in line.split()[0].split("-")] for line in maps if "memfd:suai-trace" in line][0]
LIBRARIES = 0x1000  # of src/trace/record.h
SITES = LIBRARIES + 4096 * 8
ROWS = SITES + 65536 * 16
for i in range(random.choice([1, 5, 200])):
    start, n_bytes = random.choice([(0, 96), (LIBRARIES, 200), (SITES, 200), (ROWS, 500), (0, high - low - 8)])
    ctypes.memmove(low + start + random.randrange(n_bytes), random.randbytes(8), 8)
os._exit(0)
