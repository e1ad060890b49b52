"""A learning curve as plain SVG text, legible on light and dark grounds."""

from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 740, 360, 56, 170, 32, 48
STYLE = """
svg { background: #ffffff; color: #111111; font: 13px system-ui, sans-serif }
.axis { stroke: #5b6472 } .rule { stroke: #d9dde3 } .muted { fill: #5b6472 } text { fill: currentColor }
.c0 { --c: #1d5fbf } .c1 { --c: #c2410c } .c2 { --c: #0f766e }
polyline { fill: none; stroke: var(--c); stroke-width: 2 } circle, .label { fill: var(--c) }
@media (prefers-color-scheme: dark) {
svg { background: #15181d; color: #e8eaed }
.axis { stroke: #9aa4b2 } .rule { stroke: #2c323a } .muted { fill: #9aa4b2 }
.c0 { --c: #8ab4f8 } .c1 { --c: #ff9a5c } .c2 { --c: #4fd1bd }
}
"""


def drawn(title, unit, top, marks, figures):
    """The picture: a line for each of `marks` (label, place in the values) of `figures` (minutes, values).

    `unit` and `top` are of the upright axis, which begins at 0.
    """
    last = max(minutes for minutes, _ in figures)

    def x(minutes):
        return LEFT + (WIDTH - LEFT - RIGHT) * minutes / last

    def y(value):
        return HEIGHT - FOOT - (HEIGHT - TOP - FOOT) * value / top

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(_described(unit, marks, figures))}</desc>",
        f"<style>{STYLE}</style>",
        f'<text x="8" y="20">{escape(unit)}</text>',
    ]
    for value in range(0, top + 1, 20):
        kind = "rule" if value else "axis"
        lines.append(f'<path class="{kind}" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        lines.append(
            f'<text class="muted" x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value}</text>'
        )
    step = max(1, round(last / 6))
    for minutes in range(0, int(last) + 1, step):
        at = f'x="{x(minutes):.1f}" y="{HEIGHT - FOOT + 20}"'
        lines.append(f'<text class="muted" {at} text-anchor="middle">{minutes}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    lines.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">minutes of CPU time</text>')
    free = []
    for name, place in sorted(marks, key=lambda mark: -figures[-1][1][mark[1]]):
        points = [(x(minutes), y(values[place]), minutes, values[place]) for minutes, values in figures]
        lines.append(f'<g class="c{place}">')
        lines.append('<polyline points="{}"/>'.format(" ".join(f"{h:.1f},{v:.1f}" for h, v, _, _ in points)))
        for h, v, minutes, value in points:
            told = f"<title>{value:.1f} after {minutes:.1f} min</title>"
            lines.append(f'<circle cx="{h:.1f}" cy="{v:.1f}" r="3">{told}</circle>')
        # Labels of lines that end side by side stand under each other.
        at = max([points[-1][1] + 4, *(taken + 16 for taken in free)])
        free.append(at)
        lines.append(f'<text class="label" x="{WIDTH - RIGHT + 10}" y="{at:.1f}">{escape(name)}</text></g>')
    return "\n".join([*lines, "</svg>", ""])


def _described(unit, marks, figures):
    """The ends of all lines in words."""
    ends = [f"{name}: {figures[0][1][place]:.0f} to {figures[-1][1][place]:.0f}" for name, place in marks]
    return f"{unit} in {figures[-1][0]:.0f} minutes of CPU time, against " + ", ".join(ends)
