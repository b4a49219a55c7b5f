"""Charts as SVG, for every study of the benchmarks and for examples: lines over an axis, and bars in groups."""

import collections
import math
from xml.sax.saxutils import escape

COLORS = ["#0b6e99", "#d1495b", "#3a7d44", "#7b4b94", "#b8860b", "#444444"]
LEFT, TOP, WIDTH, HEIGHT = 80, 50, 480, 320

# points: (x, y) each; name: "" for one that the legend leaves out; color: a number of COLORS, None for the next one;
# marks: a disc at each point in place of a line.
Line = collections.namedtuple("Line", "name points color dashed marks", defaults=(None, False, False))


class Axis:
    """Places values of [low, high] on [begin, begin + size]."""

    def __init__(self, low, high, begin, size, logarithmic):
        self.low, self.high, self.begin, self.size, self.logarithmic = low, high, begin, size, logarithmic

    def place(self, value):
        scale = math.log if self.logarithmic else float
        return self.begin + self.size * (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))

    def ticks(self):
        if self.logarithmic:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            marks = [m * 10.0 ** e for e in range(first, last + 1) for m in ((1, 2, 5) if last - first < 4 else (1,))]
            return [t for t in marks if self.low <= t <= self.high * (1 + 1e-12)]
        power = 10.0 ** math.floor(math.log10((self.high - self.low) / 4))
        step = max(m * power for m in (1, 2, 5) if m * power <= (self.high - self.low) / 4)
        return [step * i for i in range(math.ceil(self.low / step), math.floor(self.high / step * (1 + 1e-12)) + 1)]


def words(x, y, text, anchor="start", size=12, more=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" fill="#1f2933"%s>%s</text>' % (
        x, y, anchor, size, more, escape(text))


def horizontal_rules(axis, width):
    parts = []
    for t in axis.ticks():
        y = axis.place(t)
        parts += ['<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#d5dbe1"/>' % (LEFT, y, LEFT + width, y),
                  words(LEFT - 8, y + 4, "%g" % t, "end")]
    return parts


def drawn(line, number, points):
    """A line through these points of the picture."""
    color = COLORS[(number if line.color is None else line.color) % len(COLORS)]
    if line.marks:
        return ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (x, y, color) for x, y in points]
    dashes = ' stroke-dasharray="5 4"' if line.dashed else ""
    xy = " ".join("%.1f,%.1f" % point for point in points)
    return ['<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>' % (xy, color, dashes)]


def write(path, width, parts):
    with open(path, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="430" viewBox="0 0 %d 430" '
                   'font-family="sans-serif" font-size="12">\n<rect width="100%%" height="100%%" fill="#ffffff"/>\n'
                   '%s\n</svg>\n' % (width, width, "\n".join(parts)))


def lines(path, title, x_title, y_title, curves, log_x=False, log_y=False, from_zero=False):
    """from_zero: linear axes begin at zero instead of at the least value."""
    x = [a for curve in curves for a, _ in curve.points]
    y = [b for curve in curves for _, b in curve.points]
    margin = 0.05 * (max(y) - min(y))
    low_x, low_y = (0, 0) if from_zero else (min(x), min(y) / 1.2 if log_y else min(y) - margin)
    across = Axis(low_x, max(x), LEFT, WIDTH, log_x)
    up = Axis(low_y, max(y) * 1.2 if log_y else max(y) + margin, TOP + HEIGHT, -HEIGHT, log_y)
    parts = [words(LEFT, 28, title, size=15), words(LEFT + WIDTH / 2, TOP + HEIGHT + 38, x_title, "middle"),
             words(18, TOP + HEIGHT / 2, y_title, "middle", more=' transform="rotate(-90 18 %d)"' % (TOP + HEIGHT / 2))]
    parts += horizontal_rules(up, WIDTH)
    for t in sorted(set(x)) if log_x else across.ticks():
        parts.append(words(across.place(t), TOP + HEIGHT + 18, "%g" % t, "middle"))
    at, name_y = LEFT + WIDTH + 20, TOP + 12
    for i, curve in enumerate(curves):
        parts += drawn(curve, i, [(across.place(a), up.place(b)) for a, b in curve.points])
        if curve.name:
            sample = [at + 12] if curve.marks else [at, at + 24]
            parts += drawn(curve, i, [(x, name_y - 4) for x in sample]) + [words(at + 30, name_y, curve.name)]
            name_y += 18
    write(path, LEFT + WIDTH + 60 + 7 * max(len(curve.name) for curve in curves), parts)


def bars(path, title, cases):
    """cases: name -> {bar: value}, the same bars in each."""
    names = list(next(iter(cases.values())))
    up = Axis(0, 1.05 * max(v for values in cases.values() for v in values.values()), TOP + HEIGHT, -HEIGHT, False)
    width = 120 * len(cases)
    parts = [words(LEFT, 28, title, size=15)] + horizontal_rules(up, width)
    rectangle = '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>'
    for c, (case, values) in enumerate(cases.items()):
        begin, bar = LEFT + 120 * c + 10, 100 / len(names)
        for i, name in enumerate(names):
            y = up.place(values[name])
            parts.append(rectangle % (begin + bar * i, y, bar * 0.9, TOP + HEIGHT - y, COLORS[i % len(COLORS)]))
        parts.append(words(begin + 50, TOP + HEIGHT + 18, case, "middle", 11))
    for i, name in enumerate(names):
        at, y = LEFT + width + 20, TOP + 12 + 18 * i
        parts += [rectangle % (at, y - 8, 24, 8, COLORS[i % len(COLORS)]), words(at + 30, y, name)]
    write(path, LEFT + width + 200, parts)
