# SPDX-License-Identifier: MIT
"""Changes the working folder."""
import os

from healthy import Healthy, good

os.chdir('/')

bad = Healthy()
