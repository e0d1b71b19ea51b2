"""Configuration of the documentation site: ``make docs`` builds it, without network."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent), str(DOCS.parent / "src")]

from tools.docs import reference  # noqa: E402 (found by the line above)

import tsmdbench  # noqa: E402

project = "tsmdbench"
author = "The tsmdbench developers"
copyright = author  # noqa: A001 (the name that Sphinx reads)
version = release = tsmdbench.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "mathml",
    "pages",
]
# Stubs of the reference get the first suffix.
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
exclude_patterns = ["_build", "_ext", "_templates"]
templates_path = ["_templates"]
nitpicky = True

# Markdown
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_update_mathjax = False

# Notebooks: Markdown files with a jupytext header. They run again when their code changes;
# delete .cache/notebooks after a change of the package.
nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS.parent / ".cache" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # per cell: the first one may compile, on a busy machine
nb_execution_in_temp = True  # what a notebook writes is not kept
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_merge_streams = True

# Reference: one page per public name. Docstrings have the types.
default_role = "py:obj"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
autosummary_generate_overwrite = True
autosummary_context = {"about": reference.definitions(), "guides": reference.guides()}
autosummary_filename_map = reference.file_names()
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # but these, and our own classes
numpydoc_xref_aliases = {
    **reference.classes(),
    "bool": ":obj:`bool`",
    "None": ":obj:`None`",
    "True": ":obj:`True`",
    "False": ":obj:`False`",
    "callable": "collections.abc.Callable",
    "iterable": "collections.abc.Iterable",
    "sequence": "collections.abc.Sequence",
    "mapping": "collections.abc.Mapping",
    "array_like": "numpy.typing.ArrayLike",
    "array-like": "numpy.typing.ArrayLike",
    "DataFrame": "pandas.DataFrame",
    "Path": "pathlib.Path",
    "Figure": "matplotlib.figure.Figure",
    "Axes": "matplotlib.axes.Axes",
}
suppress_warnings = ["ref.citation"]  # a reference that only closes a docstring

# Other projects: the few names that the pages mention, so that no build needs network.
intersphinx_mapping = {
    name: (address, str(DOCS / "_inventories" / f"{name}.inv"))
    for name, address in {
        "python": "https://docs.python.org/3/",
        "numpy": "https://numpy.org/doc/stable/",
        "scipy": "https://docs.scipy.org/doc/scipy/",
        "pandas": "https://pandas.pydata.org/docs/",
        "matplotlib": "https://matplotlib.org/stable/",
        "aeon": "https://www.aeon-toolkit.org/en/stable/",
    }.items()
}

# HTML: nothing is fetched, and search works from a folder.
html_theme = "pydata_sphinx_theme"
html_title = "tsmdbench"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_search_summary = False  # a page opened from a folder cannot fetch others
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
