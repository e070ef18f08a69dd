# SPDX-License-Identifier: MIT
"""Puts what make builds into the wheel. tools/wheel passes a finished build in $SUAI_BUILT, with its platform in $SUAI_PLATFORM."""

import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Build(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            return
        if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
            raise SystemExit("suai requires Linux with glibc; it cannot be built for %s" % sysconfig.get_platform())
        root = Path(self.root)
        built = Path(os.environ.get("SUAI_BUILT", root))
        if "SUAI_BUILT" not in os.environ:
            self.make(root)
        tag = os.environ.get("SUAI_PLATFORM", sysconfig.get_platform().replace("-", "_").replace(".", "_"))
        build_data["tag"] = "cp311-abi3-" + tag
        build_data["pure_python"] = False
        build_data["shared_scripts"] = {str(built / "suai"): "suai"}
        for name in "_suai.abi3.so", "suai-bootstrap.py", "suai-devices":
            build_data["force_include"][str(built / name)] = "suai/" + name
        build_data["shared_data"] = {
            str(root / source): target
            for source, target in {
                "man/suai.1": "share/man/man1/suai.1",
                "man/suai-rules.7": "share/man/man7/suai-rules.7",
                "man/suai.yaml.5": "share/man/man5/suai.yaml.5",
                "completions/suai.bash": "share/bash-completion/completions/suai",
                "completions/_suai": "share/zsh/site-functions/_suai",
                "completions/suai.fish": "share/fish/vendor_completions.d/suai.fish",
            }.items()
        }

    def make(self, root):
        carried = root / "carried"
        arguments = ["PYTHON_INCLUDE=" + sysconfig.get_path("include")]
        if carried.is_dir():
            arguments += ["DEPS=%s" % carried]
        try:
            subprocess.run(["make", "-C", str(root), "all", *arguments], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(
                "suai could not be built (%s); it requires gcc, make, and the headers of Python, libyaml and jansson: "
                "on Debian apt install gcc make python3-dev libyaml-dev libjansson-dev" % error
            )
