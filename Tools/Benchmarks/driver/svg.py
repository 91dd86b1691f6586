# SPDX-License-Identifier: Apache-2.0
"""A drawing of lines, bars and text that can be read on a light and on a dark page."""

from __future__ import annotations

from xml.sax.saxutils import escape

# Ours stands out; the others step back.
STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-size: 14px; font-weight: 600 }
.muted { fill: #59636e }
.number { font-variant-numeric: tabular-nums }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.ours { fill: #0969da } .ours-small { fill: #54a3ff } .theirs { fill: #9aa4ae } .theirs-small { fill: #c3cbd2 }
.line { fill: none; stroke-width: 2 }
.line.a { stroke: #0969da } .line.b { stroke: #bc4c00 } .line.c { stroke: #1a7f37 } .limit { stroke: #9aa4ae; stroke-dasharray: 5 4 }
.dot.a, text.a { fill: #0969da } .dot.b, text.b { fill: #bc4c00 } .dot.c, text.c { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .muted { fill: #9198a1 } .grid { stroke: #3d444d }
  .ours { fill: #4493f8 } .ours-small { fill: #1f5fbf } .theirs { fill: #6e7681 } .theirs-small { fill: #4a525b }
  .line.a { stroke: #4493f8 } .line.b { stroke: #f0883e } .line.c { stroke: #3fb950 } .limit { stroke: #6e7681 }
  .dot.a, text.a { fill: #4493f8 } .dot.b, text.b { fill: #f0883e } .dot.c, text.c { fill: #3fb950 }
}
""".strip()


class Drawing:
    def __init__(self, title: str, description: str) -> None:
        self.title, self.description = title, description
        self.parts: list[str] = []

    def text(self, x: float, y: float, words: str, style: str = "", anchor: str = "start") -> None:
        kind = f' class="{style}"' if style else ""
        place = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{kind}{place}>{escape(words)}</text>')

    def bar(self, x: float, y: float, width: float, height: float, style: str) -> None:
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" rx="2" class="{style}"/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>')

    def path(self, points: list[tuple[float, float]], style: str) -> None:
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{places}" class="{style}"/>')

    def dot(self, x: float, y: float, style: str) -> None:
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="{style}"/>')

    def encoded(self, width: float, height: float) -> str:
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
                f'height="{height:.0f}" role="img">\n<title>{escape(self.title)}</title>\n'
                f"<desc>{escape(self.description)}</desc>\n<style>\n{STYLE}\n</style>\n"
                + "\n".join(self.parts) + "\n</svg>\n")
