# SPDX-License-Identifier: Apache-2.0
"""Settings of the documentation site (docs/CMakeLists.txt runs Sphinx)."""
import os
import re

project = "libdnnl_ze"
copyright = "the libdnnl_ze authors, Apache-2.0"
release = os.environ.get("DNNL_ZE_VERSION", "")

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]
# Headings get the anchors that code hosting sites give them, so that one link works in both places.
myst_heading_anchors = 4
# A link to a heading of another page must exist; scripts/check-docs checks the anchors.
suppress_warnings = []

html_theme = "furo"
html_title = "libdnnl_ze " + release if release else "libdnnl_ze"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_extra_path = [path for path in [os.environ.get("DNNL_ZE_API_HTML", "")] if path]
pygments_style = "friendly"
pygments_dark_style = "native"
# The site is read from a folder: it loads nothing from the network.
html_theme_options = {"navigation_with_keys": False}


def link_out(app, docname, source):
    """Files of the source tree are not part of the site: a link to one becomes its text."""
    depth = docname.count("/")
    outside = r"\[([^\]]+)\]\((?:\.\./){%d}(?!\.\./)[^)]*\)" % (depth + 1)
    source[0] = re.sub(outside, r"\1", source[0])


def setup(app):
    app.connect("source-read", link_out)
