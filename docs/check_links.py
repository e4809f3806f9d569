#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the relative links and anchors of all Markdown files of the source tree, and that every
page is in the index.

Usage: check_links.py SOURCE_DIR. Needs nothing but Python 3. Exit code 1 if a link leads nowhere.
"""
import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.S | re.M)
HTML_PAGES = ("api/index.html",)  # made by Doxygen when the site is built


def prose(text):
    """The text without code blocks and code spans."""
    text = FENCE.sub("", text)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text):
    """The anchors of a page's headings, as code hosting sites and the documentation site do."""
    found, seen = set(), {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", FENCE.sub("", text), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def check_page(page, text, texts, problems):
    links = re.findall(r"!?\[[^\]]*\]\(([^)\s]+)\)", prose(text))
    links += re.findall(r'href="([^"]+)"', prose(text))
    for link in links:
        if re.match(r"[a-z]+:", link) or link in HTML_PAGES:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            problems.append(f"{page}: {link}: there is no such file")
        elif anchor and target in texts and anchor not in anchors(texts[target]):
            problems.append(f"{page}: {link}: there is no such heading")
    return len(links)


def check_index(docs, texts, problems):
    """Every page can be reached from the index."""
    reached, todo = set(), [docs / "index.md"]
    while todo:
        page = todo.pop()
        if page in reached or page not in texts:
            continue
        reached.add(page)
        for link in re.findall(r"\]\(([^)#\s]+\.md)", prose(texts[page])):
            todo.append((page.parent / link).resolve())
    for page in texts:
        if docs in page.parents and page not in reached:
            problems.append(f"{page}: no page leads here")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    names = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others",
                            "--exclude-standard", "*.md"],
                           capture_output=True, text=True, check=True).stdout.split()
    texts = {root / name: (root / name).read_text() for name in names if (root / name).exists()}
    problems = []
    links = sum(check_page(page, text, texts, problems) for page, text in texts.items())
    check_index(root / "docs", texts, problems)
    for problem in problems:
        print(problem.replace(f"{root}/", ""))
    print(f"{links} links in {len(texts)} pages, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
