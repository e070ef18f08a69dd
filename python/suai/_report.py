# SPDX-License-Identifier: MIT
"""What `suai validate` reports about captures."""

import html
import json
import shlex
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _program
from ._program import Error, config_options, read_document, require_output, run_program


def _printable(text: str) -> str:
    """Text with escapes for characters that change how others are shown, as the program prints it."""
    if text.isprintable():
        return text
    forms = (0x80, "\\x{:02x}"), (0x10000, "\\u{:04x}"), (sys.maxunicode + 1, "\\U{:08x}")
    return "".join(
        c if c.isprintable() else next(form for end, form in forms if ord(c) < end).format(ord(c))
        for c in text
    )


@dataclass(frozen=True)
class Finding:
    """One violation of a rule.

    ``rule`` is the rule's id (``"NAI402"``), ``name`` its name, ``severity`` one of ``"error"``,
    ``"warning"`` and ``"note"``. ``target`` names the object, ``protocol`` the interface, and
    ``field`` the part of it, or they are None. ``message`` states what is wrong, ``why`` what a
    consumer does then, ``hint`` how to fix it, and ``clause`` the specification that requires it.
    """

    target: str
    rule: str
    name: str
    severity: str
    protocol: Optional[str]
    field: Optional[str]
    message: str
    why: Optional[str]
    hint: Optional[str]
    clause: Optional[str]

    def __str__(self) -> str:
        return _printable(f"{self.target}: {self.severity} {self.rule} {self.name}: {self.message}")


def require_read(document: Dict[str, Any]) -> None:
    """Raise `Error` if the program could not read the capture."""
    for target in document["targets"]:
        if target["step"] == "read" and target["target"] == "-":
            raise Error(target["error"]["message"].removeprefix("'-': "))


class Report:
    """The result of `suai.validate`: true if there are no findings that fail, like ``.ok``.

    It holds the capture of the object, not the object. It can be pickled, and its text and JSON be
    printed, wherever the same version of suai is installed.
    """

    def __init__(self, capture: bytes, options: Sequence[str], hellos: List[Dict[str, Any]]):
        self._capture = capture
        self._options = tuple(options)
        self._hellos = hellos
        self._text: Optional[str] = None
        self._document: Optional[Dict[str, Any]] = None
        self._status, self._json = self._judge("json")

    def _judge(self, format: str, *options: str) -> Tuple[int, str]:
        command = ["validate", "-f", format, "--color", "never", *options, *config_options()]
        result = run_program([*command, *self._options, "-"], self._capture)
        printed = require_output(result)
        if format == "json":
            read_document(printed)
        output = printed.decode()
        if format == "json" and result.status in (-1, 2):
            return self._check_unread(output, result.status), output
        return result.status, output

    @staticmethod
    def _check_unread(output: str, status: int) -> int:
        """Raise if the program could not read the capture; return the exit status."""
        document = json.loads(output)
        require_read(document)
        if status >= 0:
            return status
        return 1 if document["summary"]["failed_targets"] else 0

    @property
    def ok(self) -> bool:
        """Whether the object was checked and no finding fails: ``exit_status`` is 0."""
        return self._status == 0

    @property
    def exit_status(self) -> int:
        """The exit status of ``suai validate``.

        0: no finding that fails; 1: findings; 3: the object's code raised, crashed or hung; 4: this
        machine lacks what was requested.
        """
        return self._status

    @property
    def findings(self) -> List[Finding]:
        """All findings, in the order of ``suai validate -f json``."""
        fields = Finding.__dataclass_fields__
        return [
            Finding(
                target=target["target"],
                **{key: finding[key] for key in fields if key != "target"},
            )
            for target in self.document["targets"]
            for finding in target["findings"]
        ]

    @property
    def text(self) -> str:
        """What ``suai validate`` prints, without colours."""
        if self._text is None:
            self._text = self._judge("text")[1]
        return self._text

    @property
    def document(self) -> Dict[str, Any]:
        """The document of ``suai validate -f json`` as dictionaries (suai.schema.json).

        The wheel contains that JSON Schema: ``importlib.resources.files("suai") / "suai.schema.json"``.
        """
        if self._document is None:
            self._document = json.loads(self._json)
        return self._document

    def format(self, name: str) -> str:
        """Return what ``suai validate -f NAME`` prints: ``"concise"``, ``"sarif"``, ``"junit"``..."""
        return self._judge(name)[1]

    def json(self) -> str:
        """Return what ``suai validate -f json`` prints."""
        return self._json

    @property
    def isolated(self) -> bool:
        """Whether all objects were captured in forks, which a crash or a hang ends.

        Otherwise they were captured in the process that has them; `why_not_isolated` states why.
        """
        return all(hello["host"] == "fork" for hello in self._hellos)

    @property
    def why_not_isolated(self) -> Optional[str]:
        """Why an object was captured in the process that has it; None if none was."""
        return next((h["not_isolated"] for h in self._hellos if h["host"] != "fork"), None)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        summary = self.document["summary"]
        counts = [
            f"{summary[key]} {key if summary[key] != 1 else key[:-1]}"
            for key in ("errors", "warnings", "notes")
            if summary[key]
        ]
        names = [target["target"] for target in self.document["targets"]]
        named = _printable(names[0]) if len(names) == 1 else f"{len(names)} targets"
        broken = [t["status"] for t in self.document["targets"] if t["status"] != "ok"]
        return f"<suai.Report of {named}: {', '.join(broken + counts) or 'no findings'}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "version": _program.VERSION,
            "capture": self._capture,
            "options": self._options,
            "hellos": self._hellos,
            "text": self._text,
            "status": self._status,
            "json": self._json,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        version = state.get("version")
        if version != _program.VERSION:
            raise Error(
                f"the Report was pickled by suai {version}, but this is suai {_program.VERSION}"
            )
        self._capture = state["capture"]
        self._options = state["options"]
        self._hellos = state["hellos"]
        self._text = state["text"]
        self._document = None
        self._status = state["status"]
        self._json = state["json"]


class CheckError(AssertionError):
    """The report of `suai.check` is not `ok`: the message is what ``suai validate`` prints.

    It does not refer to options of ``suai validate``, which pytest interprets differently, but for
    a command that reproduces a finding of `suai.check_consumer`. ``report`` is the `Report`.
    """

    def __init__(self, report: Report):
        super().__init__(report)
        self.report = report
        self._message: Optional[str] = None

    def __str__(self) -> str:
        if self._message is None:
            self._message = self._describe()
        return self._message

    def _describe(self) -> str:
        text = self.report._judge("text", "--no-hints")[1].rstrip("\n")
        for target in self.report.document["targets"]:
            case = target["consumption"] or {}
            is_wrong = any(
                finding["severity"] != "note" and finding["rule"] != "DLC004"
                for finding in target["findings"]
            )
            if is_wrong and case.get("id"):
                command = ["suai", "validate", "--consumer", case["consumer"]]
                command += [] if case["protocol"] == "dlpack" else ["-p", case["protocol"]]
                command += ["--reproduce", case["id"]]
                return f"{text}\n{shlex.join(command)} prints Python that shows this without suai"
        return text
