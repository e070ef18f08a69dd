# SPDX-License-Identifier: MIT
"""Executes another program."""
import os

os.execv('/bin/true', ['true'])
