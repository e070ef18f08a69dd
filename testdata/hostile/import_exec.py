# SPDX-License-Identifier: MIT
"""Becomes another program."""
import os

os.execv('/bin/true', ['true'])
