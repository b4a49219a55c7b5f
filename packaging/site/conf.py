"""Sphinx's settings for the pages that pages.py wrote into this folder."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

with open(os.path.join(HERE, "api.json"), encoding="utf-8") as file:
    version = release = json.load(file)["version"]

project, author, copyright = "Tenon", "", ""
extensions = ["myst_parser", "site_extension"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
nitpicky = True
html_theme = "furo"
html_title = "Tenon"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = html_show_copyright = html_copy_source = html_use_index = False
html_theme_options = {"navigation_with_keys": False}
pygments_style, pygments_dark_style = "tango", "monokai"
highlight_language = "none"
