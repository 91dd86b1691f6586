# SPDX-License-Identifier: Apache-2.0
"""The command line of Tools/prove-updates."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from driver.bench import ROOT
from driver.command import Failure

from . import prove_fleet, prove_kills
from .bench import Breach, bench


def arguments(description: str) -> argparse.Namespace:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--programs", type=Path, metavar="FOLDER", default=ROOT / ".build/release",
                        help="the folder of webarc and webarc-server; .build/release unless given")
    shared.add_argument("--seed", type=int, metavar="N", help="of the random numbers; another each time unless given")
    parser = argparse.ArgumentParser(
        "Tools/prove-updates", description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="PROOF")
    prove_kills.add(commands.add_parser(
        "kills", parents=[shared], description=prove_kills.__doc__, help="kills and full disks",
        formatter_class=argparse.RawDescriptionHelpFormatter))
    prove_fleet.add(commands.add_parser(
        "fleet", parents=[shared], description=prove_fleet.__doc__, help="a fleet of devices over a bad network",
        formatter_class=argparse.RawDescriptionHelpFormatter))
    return parser.parse_args()


def main(description: str) -> int:
    options = arguments(description)
    try:
        with bench(options.programs.absolute(), options.seed) as made:
            options.prove(made, options)
    except Breach as breach:
        print(f"Tools/prove-updates: breach: {breach}", file=sys.stderr)
        return 1
    except Failure as failure:
        print(f"Tools/prove-updates: {failure}", file=sys.stderr)
        return 69
    except KeyboardInterrupt:
        return 130
    return 0
