# SPDX-License-Identifier: MIT
"""Changes the working directory."""
import os

from healthy import Healthy, good

os.chdir('/')

bad = Healthy()
