# SPDX-License-Identifier: MIT
"""dpctl: memory of each kind for --calls and --lifetime."""

import dpctl.memory


def device():
    return dpctl.memory.MemoryUSMDevice(64)


def shared():
    return dpctl.memory.MemoryUSMShared(64)


def host():
    return dpctl.memory.MemoryUSMHost(64)
