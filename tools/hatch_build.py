# SPDX-License-Identifier: MIT
"""Puts what make builds into the wheel. tools/wheel passes a finished build in $SUAI_BUILT, with its platform in $SUAI_PLATFORM."""

import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def require_platform():
    """Exit with the reason where suai cannot be built."""
    system = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
    if sys.platform == "linux":
        is_musl = "musl" in (sysconfig.get_config_var("SOABI") or "")
        system = platform.libc_ver()[0] if not is_musl else "Linux with musl"
        system = system or "Linux without glibc"
    found = sys.implementation.name if sys.implementation.name != "cpython" else system
    if found != "glibc":
        raise SystemExit("suai requires CPython on Linux with glibc; this is %s" % found)
    if sys.version_info < (3, 11):  # pip reads requires-python only once this hook has built suai
        raise SystemExit("suai requires CPython 3.11 or later; this is %s" % platform.python_version())


class Build(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            return
        require_platform()
        root = Path(self.root)
        built = Path(os.environ.get("SUAI_BUILT", root))
        tag, module = "cp311-abi3", "_suai.abi3.so"
        if sysconfig.get_config_var("Py_GIL_DISABLED"):  # which has no stable ABI before 3.15
            tag = "cp3{0}-cp3{0}t".format(sys.version_info.minor)
            module = "_suai" + sysconfig.get_config_var("EXT_SUFFIX")
        if "SUAI_BUILT" not in os.environ:
            self.make(root, module)
        system = os.environ.get("SUAI_PLATFORM", sysconfig.get_platform())
        build_data["tag"] = "%s-%s" % (tag, system.replace("-", "_").replace(".", "_"))
        build_data["pure_python"] = False
        build_data["shared_scripts"] = {str(built / "suai"): "suai"}
        for name in module, "suai-bootstrap.py", "suai-devices", "libsuai_trace.so":
            build_data["force_include"][str(built / name)] = "suai/" + name
        self.copies = tempfile.TemporaryDirectory()  # until the wheel is written
        for schema in (root / "schema").glob("*.json"):
            build_data["force_include"][self.without_spaces(schema)] = "suai/" + schema.name
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

    def without_spaces(self, schema):
        """A copy of a JSON file without the whitespace between its values, for a smaller wheel."""
        copy = Path(self.copies.name) / schema.name
        with schema.open(encoding="utf-8") as file:
            copy.write_text(json.dumps(json.load(file), separators=(",", ":"), ensure_ascii=False), encoding="utf-8")
        return str(copy)

    def finalize(self, version, build_data, artifact_path):
        if self.target_name == "wheel":
            self.copies.cleanup()

    def make(self, root, module):
        carried = root / "carried"
        arguments = ["MODULE=" + module, "PYTHON_INCLUDE=" + sysconfig.get_path("include"), "LDFLAGS=%s -s" % os.environ.get("LDFLAGS", "")]
        if carried.is_dir():
            arguments += ["DEPS=%s" % carried]
        try:
            subprocess.run(["make", "-C", str(root), "all", *arguments], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(
                "suai could not be built (%s); it requires gcc, make, and the headers of Python, libyaml, jansson and liblzma: "
                "on Debian apt install gcc make python3-dev libyaml-dev libjansson-dev liblzma-dev" % error
            )
