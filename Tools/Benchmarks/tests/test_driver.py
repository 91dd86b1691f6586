# SPDX-License-Identifier: Apache-2.0
"""The driver's arithmetic and its tables. Nothing is measured here."""

from __future__ import annotations

import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver import editions  # noqa: E402
from driver.command import Cost  # noqa: E402
from driver.debian import versions  # noqa: E402
from driver.deltas import Deltas, window  # noqa: E402
from driver.documents import SECTIONS  # noqa: E402
from driver.gates import exceeded  # noqa: E402
from driver.library import reduced, seconds  # noqa: E402
from driver.measurement import Measurement, quartiles  # noqa: E402
from driver.numbers import numbers  # noqa: E402
from driver.pack_chart import pack_chart  # noqa: E402
from driver.results import Results  # noqa: E402
from driver.rows import ROWS, chosen  # noqa: E402
from driver.scale_chart import scale_chart  # noqa: E402
from driver.table import processor, reached, table  # noqa: E402
from driver.units import digits, readable  # noqa: E402

MACHINE = {"processor": "Abacus, 2 cores", "memory": "1 GiB", "file system": "ext4", "system": "Debian"}


class MeasurementTests(unittest.TestCase):
    def test_the_ratio_is_taken_pair_by_pair(self) -> None:
        # The medians of both sides would give 2 / 4.
        pairs = Measurement("pack", "", "s", [1, 2, 9], [4, 2, 10])
        self.assertEqual(pairs.ratios, [0.25, 1, 0.9])
        self.assertEqual(pairs.value, 0.9)

    def test_sides_of_different_length_are_an_error(self) -> None:
        with self.assertRaises(ValueError):
            _ = Measurement("pack", "", "s", [1, 2], [4]).ratios

    def test_quartiles(self) -> None:
        self.assertEqual(quartiles([1, 2, 3, 4, 5]), (2, 4))
        self.assertEqual(quartiles([7]), (7, 7))

    def test_what_is_reached(self) -> None:
        def text(value: float, reach: list[float]) -> str:
            return reached(Measurement("pack", "", "s", [value], [1], reach=reach))
        self.assertEqual(text(0.4, [0.7, 0.5]), "yes")
        self.assertEqual(text(0.6, [0.7, 0.5]), "the first")
        self.assertEqual(text(0.8, [0.7, 0.5]), "**no**")
        self.assertEqual(text(0.8, []), "")

    def test_few_samples_stand_for_many(self) -> None:
        many = [float(number) for number in range(1001)]
        few = reduced(many)
        self.assertEqual(quartiles(few), quartiles(many))
        self.assertEqual(few[2], 500)

    def test_gates(self) -> None:
        self.assertEqual(exceeded({"a": 1, "b": 2.5}, {"a": 1, "b": 3}), [])
        self.assertEqual(exceeded({"a": 1, "b": 2.5}, {"a": 0, "b": 2}), ["a", "b"])
        self.assertEqual(exceeded({"new": 0}, {"gone": 5}), ["gone", "new"])

    def test_samples_of_a_batch(self) -> None:
        result = {"primaryMetric": {"scoreUnit": "# / s", "rawData": [[5]]},
                  "secondaryMetrics": {"Time (wall clock)": {"scoreUnit": "μs", "rawData": [[200.0, 400.0]]}}}
        for value, wanted in zip(seconds(result, 1000), [2e-7, 4e-7], strict=True):
            self.assertAlmostEqual(value, wanted)


class ResultsTests(unittest.TestCase):
    def test_a_row_is_replaced_and_the_others_stay(self) -> None:
        results = Results(MACHINE, {}, {}, [Measurement("pack", "a", "s", [1]), Measurement("zim", "a", "s", [1])])
        results.replace([Measurement("pack", "a", "s", [2])], "2025-01-01", "abc")
        self.assertEqual([(each.row, each.ours, each.date) for each in results.measurements],
                         [("zim", [1], ""), ("pack", [2], "2025-01-01")])

    def test_written_and_read(self) -> None:
        results = Results(MACHINE, {"zip": "3"}, {"a": {"files": 1, "bytes": 2}},
                          [Measurement("pack", "a", "s", [1.5], [2], "zip", reach=[0.5], our_memory=7)])
        with tempfile.TemporaryDirectory() as folder:
            results.write(Path(folder))
            self.assertEqual(Results.read(Path(folder)), results)


class RowsTests(unittest.TestCase):
    def test_a_name_stands_for_all_rows_that_begin_so(self) -> None:
        self.assertEqual(chosen("zim,scale"), ["zim", "scale-entries", "scale-files", "scale-bytes"])
        self.assertEqual(chosen("pack,packs"), ["pack", "packs"])

    def test_the_page_shows_all_rows(self) -> None:
        shown = {row for _, rows, _ in SECTIONS for row in rows}
        # Measured as `serve`, on a body of its own.
        self.assertEqual(ROWS.keys() - shown, {"serve-large"})


class EditionTests(unittest.TestCase):
    OLD, NEW = editions.Release("a-doc", "2", "a"), editions.Release("a-doc", "3", "a")
    OTHER = editions.Release("b-doc", "7", "b")

    def found(self, old: editions.Release, new: editions.Release, **offered: list[str]) -> tuple[str, str] | None:
        return editions.chosen(old, new, lambda package: offered[package.removesuffix("-doc")])

    def test_the_named_versions_while_they_are_offered(self) -> None:
        self.assertEqual(self.found(self.OLD, self.NEW, a=["4", "3", "2", "1"]), ("2", "3"))
        self.assertEqual(self.found(self.OLD, self.OTHER, a=["3", "2"], b=["8", "7"]), ("2", "7"))

    def test_later_versions_once_they_are_gone(self) -> None:
        self.assertEqual(self.found(self.OLD, self.NEW, a=["5", "4", "3"]), ("3", "5"))
        self.assertEqual(self.found(self.OLD, self.OTHER, a=["5", "4"], b=["9", "7"]), ("5", "9"))

    def test_no_pair_of_one_version(self) -> None:
        self.assertIsNone(self.found(self.OLD, self.NEW, a=["3"]))
        self.assertIsNone(self.found(self.OLD, self.NEW, a=[]))
        self.assertIsNone(self.found(self.OLD, self.OTHER, a=["2"], b=[]))

    def test_versions_of_several_mirrors(self) -> None:
        madison = (" a-doc | 1:3.1-2+deb12u9 | http://security.example bookworm-security/main amd64 Packages\n"
                   " a-doc | 1:3.1-2+deb12u8 | http://deb.example bookworm/main amd64 Packages\n"
                   " a-doc | 1:3.1-2+deb12u8 | http://other.example bookworm/main amd64 Packages\n")
        self.assertEqual(versions(madison), ["1:3.1-2+deb12u9", "1:3.1-2+deb12u8"])
        self.assertEqual(versions(""), [])


class Recorder:
    """A bench whose peers write as many bytes as is said."""

    LENGTHS = {"xdelta3": 30, "zstd": 20, "bsdiff": 10}

    def __init__(self, work: Path, skip_bsdiff: bool = False) -> None:
        self.work, self.skip_bsdiff = work, skip_bsdiff
        self.ran: list[str] = []

    def fresh(self, name: str) -> Path:
        return self.work / f"{len(self.ran)}-{name}"

    def once(self, words: Sequence[str | Path]) -> Cost:
        tool = str(words[0])
        self.ran.append(tool)
        Path(words[-1]).write_bytes(bytes(self.LENGTHS[tool]))
        return Cost(1.5, 1 << 20, 0.5)


class DeltaTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.old, self.new = self.place / "old", self.place / "new"
        self.old.write_bytes(b"old")
        self.new.write_bytes(b"new")
        self.version = mock.patch("driver.deltas.version", return_value="1").start()
        self.addCleanup(mock.patch.stopall)

    def run_all(self, skip_bsdiff: bool = False) -> tuple[list[str], list[tuple[str, float, Cost]]]:
        bench = Recorder(self.place, skip_bsdiff)
        found = Deltas(bench).all(self.old, self.new)  # type: ignore[arg-type]
        return bench.ran, [(each.tool, each.length, each.cost) for each in found]

    def test_the_shortest_is_first(self) -> None:
        self.assertEqual([name for name, _, _ in self.run_all()[1]], ["bsdiff", "zstd -19 --patch-from", "xdelta3 -9"])
        self.assertEqual([name for name, _, _ in self.run_all(skip_bsdiff=True)[1]], ["zstd -19 --patch-from", "xdelta3 -9"])

    def test_the_same_files_and_tools_are_not_measured_again(self) -> None:
        ran, first = self.run_all()
        self.assertEqual(ran, ["xdelta3", "zstd", "bsdiff"])
        self.assertEqual(self.run_all(), ([], first))
        self.version.side_effect = lambda package: "2" if package == "zstd" else "1"
        self.assertEqual(self.run_all(), (["zstd"], first))
        self.new.write_bytes(b"newer")
        self.assertEqual(len(self.run_all()[0]), 3)

    def test_the_window_holds_the_longest_file(self) -> None:
        with self.new.open("wb") as file:
            file.truncate(2**28)
        self.assertEqual(window(self.old, self.old), 25)
        self.assertEqual(2**28 <= 2 ** window(self.old, self.new), True)
        self.assertLessEqual(window(self.old, self.new), 29)


class TextTests(unittest.TestCase):
    def test_numbers(self) -> None:
        self.assertEqual([digits(value) for value in (0, 0.12345, 1.5, 123.4, 12345.6)],
                         ["0", "0.123", "1.50", "123", "12,346"])
        self.assertEqual(readable(0.00123, "s"), "1.23 ms")
        self.assertEqual(readable(17722289, "B"), "17.7 MB")
        self.assertEqual(readable(70.25, "B an entry"), "70.2 B an entry")

    def test_a_table_has_no_empty_columns(self) -> None:
        text = table([Measurement("open", "open", "s", [0.5], note="quick")])
        self.assertEqual(text, "| measurement | webarc | runs | note |\n| --- | --- | --- | --- |\n| open | 500 ms | 1 | quick |")

    def test_processor_time_too_short_to_be_told(self) -> None:
        def text(ours: float | None, theirs: float | None) -> str:
            return processor(Measurement("pack", "", "s", [1], our_processor=ours, their_processor=theirs))
        self.assertEqual([text(0, 0.06), text(2, 0), text(None, None)], ["under 10 ms / 60.0 ms", "2.00 s / under 10 ms", ""])

    def test_charts_are_well_formed(self) -> None:
        squashfs, package = "`mksquashfs -comp lz4`", "rust-doc"
        results = Results(MACHINE, {}, {package: {"files": 1, "bytes": 100}}, [
            Measurement("pack", "a", "s", [1], [2], squashfs, package),
            Measurement("pack-size", "a", "B", [1], [2], squashfs, package),
            Measurement("level9", "a", "B", [1], [2], "`zip -9`", package),
            Measurement("level9", "a", "B", [1], [2], "`mksquashfs -comp zstd`", package),
            Measurement("scale-bytes", "`pack`, wall time", "s", [1], size=1e9),
            Measurement("scale-bytes", "`pack`, peak memory", "B", [1e6], size=1e9),
        ])
        for chart in (pack_chart, scale_chart):
            self.assertEqual(xml.fromstring(chart(results) or "").tag, "{http://www.w3.org/2000/svg}svg")
            self.assertIsNone(chart(Results()))
        self.assertIn("| `pack`, time against `mksquashfs -comp lz4` |  |  |  | 0.50 |", numbers(results))

    def test_the_readme_tells_the_range_of_patches(self) -> None:
        tars = "the smallest of 3, on tars"
        results = Results(MACHINE, {}, {}, [
            Measurement("patch-size", "a", "B", [3], [2], tars, "one"), Measurement("patch-size", "a", "B", [1], [2], tars, "two"),
            Measurement("patch-size", "a", "B", [9], [1], "the smallest of 3, on the archives", "two"),
            Measurement("patch-size", "a", "B", [9], [1], "the smallest of 2, on tars", "two"),
        ])
        self.assertIn("A patch to the next edition is 0.50 to 1.50 times as long as the shortest", numbers(results))
        results.measurements.pop(0)
        self.assertIn("A patch to the next edition is 0.50 times as long", numbers(results))
        self.assertNotIn("patch", numbers(Results(MACHINE)))


if __name__ == "__main__":
    unittest.main()
