"""Shared style of the figures: colours, names, saving.

A figure is a `matplotlib.figure.Figure` of its own, never one of pyplot, so drawing has
no state and needs no display. It looks the same whatever the user's matplotlibrc says,
and two drawings of the same results are the same bytes.

Names come from files and from other people, so they are shown letter by letter:
mathematical notation is off (``$x_1$`` stays as it is written), line breaks become
spaces, a letter that the font does not have becomes a replacement mark, and a long name
is cut in its middle, where it stays different from the others.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape, unescape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from tsmdbench.io import PathLike, write_atomically
from tsmdbench.plotting import SHADES, figure_class, make_drawable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")

ABSENT = "#EDEDED"  # a cell without a value
TIP = "tip:"  # begins the names of parts that have a title
# Colours of figures on a page: greys change sides, hues have a shade for dark pages.
THEMED = {
    **{
        colour.lower(): f"light-dark({light}, {dark})"
        for colour, (light, dark) in SHADES.items()
    },
    **dict.fromkeys(("#000000", "#333333", "#595959"), "var(--ink)"),
    **dict.fromkeys(("#666666", "#737373", "#808080", "#999999"), "var(--soft)"),
    **dict.fromkeys(("#d9d9d9", "#e6e6e6", "#ebebeb", "#ededed"), "var(--line)"),
}
HEAT = "YlGnBu"  # ordered by lightness: also for people who see few colours, or grey
NAME = 26  # longest name in characters
SIZE = 8.5  # points of a name
HOUSE: dict[Any, Any] = {
    "font.size": SIZE,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "text.parse_math": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "tsmdbench",
    "pdf.fonttype": 42,  # letters that publishers accept and a search finds
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.5,
    "figure.titlesize": 11,
    "hatch.linewidth": 0.6,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw with matplotlib's defaults and ours, whatever the user has set."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(HOUSE)
        yield


def in_house_style(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Wrap `draw`: apply the house style and lay out the returned figure."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        figure_class()  # or say how to install it
        with house_style():
            return _laid_out(draw(*args, **kwargs))

    return drawn


def _laid_out(figure: Figure) -> Figure:
    """Lay a figure out once and for all.

    Otherwise each saving would start from the last layout, and no two files would be
    alike.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """Return an empty figure of a size in inches."""
    return figure_class()(
        figsize=(width, height), **{"layout": "constrained", **options}
    )


def sentence_figure(sentence: str, title: str = "") -> Figure:
    """Return a figure that says why there is nothing to draw."""
    figure = new_figure(6.0, 1.5)
    axes = figure.add_subplot()
    axes.axis("off")
    words = textwrap.fill(shown_one(sentence), 80)
    axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)
    if title:
        figure.suptitle(shown_one(title))
    return figure


def rows_of_names(axes: Axes, names: Iterable[str]) -> None:
    """Make the y axis a list of names, the first at the top."""
    texts = list(names)
    axes.set_yticks(range(len(texts)), texts)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(texts) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.set_axisbelow(True)


def tip(artist: Artist, text: str, address: str = "") -> None:
    """Give a part of a figure a title on hover, and a link, in SVG files."""
    artist.set_gid(f"{TIP}{text}")
    if address:
        artist.set_url(address)


def highlight(figure: Figure, colours: Mapping[str, str]) -> Figure:
    """Write names of methods in bold and in their colour; return the figure."""
    from matplotlib.text import Text

    names = {shown_one(label, NAME): colour for label, colour in colours.items()}
    for text in figure.findobj(Text):
        # A diagram of ranks has the rank behind the name, after two spaces.
        name = text.get_text().partition("  ")[0]
        if name in names:
            text.set(fontweight="bold", color=names[name])
    with house_style():
        if figure.get_layout_engine() is not None:  # bold names need more room
            figure.set_layout_engine("constrained")
        return _laid_out(figure)


def _saved(figure: Figure, form: str, settings: Any = None, **options: Any) -> bytes:
    """Return the bytes of a figure in a form, drawn with settings besides ours."""
    import matplotlib as mpl

    buffer = BytesIO()
    with house_style(), mpl.rc_context(settings):
        make_drawable(figure).savefig(buffer, format=form, **options)
    return buffer.getvalue()


def svg(figure: Figure) -> bytes:
    """Return a figure as SVG: no date, and names of parts that do not change."""
    made = _saved(figure, "svg", metadata={"Date": None, "Creator": "tsmdbench"})
    # Links lead to places of the page.
    return re.sub(r"</?a\b[^>]*>", "", _with_titles(made.decode())).encode()


def png(figure: Figure, dpi: int = 150) -> bytes:
    """Return a figure as PNG."""
    return _saved(figure, "png", metadata={"Software": None}, dpi=dpi)


def pdf(figure: Figure) -> bytes:
    """Return a figure as PDF, without a date."""
    metadata = {"CreationDate": None, "Creator": "tsmdbench", "Producer": None}
    return _saved(figure, "pdf", metadata=metadata)


def save(figure: Figure, path_without_suffix: PathLike) -> tuple[Path, ...]:
    """Write a figure as SVG, PNG and PDF; each file appears whole or not at all."""
    stem = Path(path_without_suffix)
    stem.parent.mkdir(parents=True, exist_ok=True)
    # with_suffix would cut a name that has a dot in it
    forms = {"svg": svg, "png": png, "pdf": pdf}
    files = {stem.with_name(f"{stem.name}.{end}"): form for end, form in forms.items()}
    for file, form in files.items():
        write_atomically(file, form(figure))
    return tuple(files)


def page_svg(figure: Figure, words: str) -> str:
    """Return a figure as an element of a page that has a light and a dark theme.

    `words` say what it shows, for those who cannot see it. Letters stay letters, so
    they can be read aloud and searched. The policy of a page forbids ``style``
    attributes, so they become attributes of their own.
    """
    text = _saved(figure, "svg", {"svg.fonttype": "none"}, transparent=True).decode()
    body = _with_titles(text[text.index("<g id=") : text.rindex("</svg>")])
    body = re.sub(r' style="([^"]*)"', _as_attributes, body)
    body = re.sub(r' (id="[a-z]\w*?_\d+"|clip-path="[^"]*"|target="_blank")', "", body)
    body = re.sub(r"\s*\n\s*", " ", body)
    numbers = r' (?:d|x|y|width|height|transform)="[^"]*"'
    body = re.sub(numbers, lambda m: re.sub(r"(\.\d\d)\d+", r"\1", m[0]), body)
    width, height = (72 * side for side in figure.get_size_inches())
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width / 0.72:.0f}" '
        f'role="img" aria-label="{escape(words)}">{body}</svg>'
    )


def _with_titles(text: str) -> str:
    """Turn the groups that `tip` named into groups with a title."""
    return re.sub(
        f'<g id="{TIP}([^"]*)">',
        lambda found: f"<g><title>{escape(unescape(found[1]))}</title>",
        text,
    )


def _as_attributes(style: re.Match[str]) -> str:
    """Return the attributes for a ``style``, in colours for both themes."""
    made = ""
    for part in filter(None, unescape(style[1]).split(";")):
        name, _, value = (text.strip() for text in part.partition(":"))
        # Numbers in cells stay as they are; white lines have the colour of the page.
        page = (name, value) == ("stroke", "#ffffff")
        value = "var(--page)" if page else THEMED.get(value, value)
        made += f' {name}="{escape(value)}"' if name != "font-family" else ""
    return made


def shown(names: Iterable[Any], longest: int = NAME) -> list[str]:
    r"""Return names as they are written in a figure: short, printable, and different.

    >>> shown(["a\nb", "$x_1$", "a" * 30, "a" * 31], longest=9)
    ['a b', '$x_1$', 'aaa…aaaaa', 'aaa…aaaaa (2)']
    """
    glyphs = _glyphs()
    seen: Counter[str] = Counter()
    different = []
    for name in names:
        text = "".join(
            c if c.isprintable() and ord(c) in glyphs else "\N{REPLACEMENT CHARACTER}"
            for c in " ".join(str(name).split())
        )
        if len(text) > longest:  # more of the end is kept, where settings are written
            head = (longest - 1) * 2 // 5
            text = f"{text[:head]}…{text[head + 1 - longest :]}"
        seen[text] += 1
        different.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return different


def shown_one(name: Any, longest: int = 10_000) -> str:
    """Return one text as it is written in a figure."""
    return shown([name], longest)[0]


@functools.cache
def _glyphs() -> frozenset[int]:
    """Return the letters that the font of the figures has."""
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def text_width(text: str, size: float = SIZE, weight: str = "normal") -> float:
    """Return how wide a text is drawn, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0
    with house_style():
        path = TextPath((0, 0), text, size=size, prop=FontProperties(weight=weight))
    return float(path.get_extents().width) / 72


def widest(texts: Iterable[str], size: float = SIZE, weight: str = "normal") -> float:
    """Return how wide the widest text is drawn, in inches."""
    return max((text_width(text, size, weight) for text in texts), default=0.0)


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it.

    >>> [duration(s) for s in (0.00042, 0.0123, 4.56, 125, 5000, 200_000)]
    ['0.4 ms', '12 ms', '4.6 s', '2.1 min', '1.4 h', '2.3 d']
    """
    sizes = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
    fitting = [unit for unit, size in sizes.items() if seconds >= 0.9995 * size]
    unit = fitting[-1] if fitting else "ms"
    value = seconds / sizes[unit]
    return f"{value:.0f} {unit}" if value >= 9.95 else f"{value:.1f} {unit}"


def metric_title(metric: str) -> str:
    """Return what a metric is called in a figure.

    >>> metric_title("prom_f1"), metric_title("prom_macro_recall"), metric_title("own")
    ('F1', 'macro recall', 'own')
    >>> metric_title("subspace_prom_f1")
    'F1 in time and channels'
    """
    if metric.startswith("subspace_prom_"):
        return f"{metric_title(metric.removeprefix('subspace_'))} in time and channels"
    known = {"f1": "F1", "precision": "precision", "recall": "recall"}
    macro, off = metric.startswith("prom_macro_"), metric.endswith("_off")
    plain = metric.removeprefix("prom_").removeprefix("macro_").removesuffix("_off")
    if not metric.startswith("prom_") or plain not in known:
        return metric
    penalty = " (off-target sets penalised)" if off else ""
    return f"{'macro ' if macro else ''}{known[plain]}{penalty}"
