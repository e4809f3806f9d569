# SPDX-License-Identifier: Apache-2.0
"""Settings of the documentation site. docs/CMakeLists.txt copies the pages beside each other and
runs Sphinx on the copy: the README is its index, docs/ and the two other pages of the top folder
are as in the source tree."""
import os
import pathlib
import re

project = "libdnnl_ze"
copyright = "the libdnnl_ze authors, Apache-2.0"
release = os.environ.get("DNNL_ZE_VERSION", "")

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
# Headings get the anchors that code hosting sites give them, so that one link works in both places.
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"libdnnl_ze {release}".strip()
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_extra_path = [path for path in [os.environ.get("DNNL_ZE_API_HTML", "")] if path]
pygments_style = "friendly"
pygments_dark_style = "native"


def site_links(srcdir, docname, text):
    """The README is the site's index. A link to a file outside of the site becomes its text."""
    folder = (pathlib.Path(srcdir) / docname).parent

    def rewrite(match):
        label, path, anchor = match.group(1), match.group(2), match.group(3) or ""
        if path in ("README.md", "../README.md"):
            path = path.replace("README", "index")
        return f"[{label}]({path}{anchor})" if (folder / path).is_file() else label

    return re.sub(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:)([^)#\s]+)(#[^)\s]*)?\)", rewrite, text)


def site_tree(srcdir):
    """The sidebar: sections and pages in the order of docs/index.md."""
    tree = ["", "```{toctree}", ":hidden:", "", "docs/index", "```", ""]
    text = (pathlib.Path(srcdir) / "docs" / "index.md").read_text()
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, body = section.split("\n", 1)
        tree += ["```{toctree}", ":hidden:", f":caption: {title}", ""]
        for page in re.findall(r"\]\(((?!https?:)[^)#\s]+)\.md", body):
            tree.append(os.path.normpath(f"docs/{page}"))
        tree += ["```", ""]
    return "\n".join(tree)


def read_source(app, docname, source):
    source[0] = site_links(app.srcdir, docname, source[0])
    if docname == "index":
        source[0] += site_tree(app.srcdir)


def setup(app):
    app.connect("source-read", read_source)
