# SPDX-License-Identifier: Apache-2.0
"""The raw numbers, in benchmarks.json."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from .bench import ROOT
from .measurement import Measurement

NAME = "benchmarks.json"


def now() -> str:
    return datetime.now(timezone.utc).date().isoformat()


def revision() -> str:
    done = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@dataclass
class Results:
    machine: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    # The corpora: files and bytes of each.
    subjects: dict[str, dict[str, int]] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path) -> Results:
        file = folder / NAME
        if not file.exists():
            return cls()
        read = json.loads(file.read_text())
        return cls(read["machine"], read["versions"], read["subjects"], [Measurement(**each) for each in read["measurements"]])

    def replace(self, new: list[Measurement], date: str, revision: str) -> None:
        """Takes the measurements of a row in the place of those that measured the same before."""
        def name(measurement: Measurement) -> tuple[str, str, str, str]:
            return measurement.row, measurement.what, measurement.subject, measurement.against
        for measurement in new:
            (measurement.date, measurement.revision) = (date, revision)
        measured = {name(measurement) for measurement in new}
        self.measurements = [old for old in self.measurements if name(old) not in measured] + new

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        content = {"machine": self.machine, "versions": self.versions, "subjects": self.subjects,
                   "measurements": [measurement.encoded() for measurement in self.measurements]}
        (folder / NAME).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
