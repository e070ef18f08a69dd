# SPDX-License-Identifier: MIT
"""Messages of the program, which name options, as messages about parameters of this package."""

import re

# Parameters that are not called like their options of the command line, and values that differ.
_PARAMETERS = {"-f": "format", "-p": "protocol", "--case": "cases"}
_COPY_VALUES = {"auto": "None", "always": "True", "never": "False"}
_OPTION = re.compile(
    r"'[^']*'|"  # quoted text, which is left as it is
    r"--copy (?P<copy>auto|always|never)|"
    r"(?P<with_text>--to|--order|--device|-p) (?P<text>[a-z]+(?:[-:.,][\w*]+)*|[CFK])(?P<next> or [a-z]+(?= can))?|"
    r"--interface-version (?P<number>\d)|"
    r"(?P<option>(?<!\S)(?:--[a-z][a-z-]*|-[fp]\b))"
)


def name_parameters(message: str) -> str:
    """Replace the options of the command line in a message by parameters: --order C by order='C'."""

    def replace(match: "re.Match[str]") -> str:
        option = match["with_text"] or match["option"]
        name = _PARAMETERS.get(option, option.lstrip("-").replace("-", "_")) if option else ""
        if match["copy"]:
            return f"copy={_COPY_VALUES[match['copy']]}"
        if match["number"]:
            return f"interface_version={match['number']}"
        if match["with_text"]:
            other = f" or {match['next'][4:]!r}" if match["next"] else ""
            return f"{name}={match['text']!r}{other}"
        return name or match[0]

    return _OPTION.sub(replace, message)
