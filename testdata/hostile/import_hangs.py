# SPDX-License-Identifier: MIT
"""Never ends."""

while True:
    pass
