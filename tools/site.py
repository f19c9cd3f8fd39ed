"""What the documentation site (mkdocs.yml) needs beside the pages: the README as its first page, links that leave docs/, and formulas
as MathML, which browsers draw without any script."""

import html
import pathlib
import re

from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTSIDE = {"index.md": "README.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}  # pages from outside docs/
LINK = re.compile(r"(?<!!)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)")


def on_files(files, config):
    for page, source in OUTSIDE.items():
        text = (ROOT / source).read_text()
        text = re.sub(r'(\]\(|src=")docs/', r"\1", text)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links to sources, tests and examples, which the site does not hold, become plain text."""
    here = (pathlib.Path(config.docs_dir) / page.file.src_uri).parent
    backwards = {(ROOT / source).resolve(): target for target, source in OUTSIDE.items()}

    def link(match):
        words, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match[0]
        full = (here / path).resolve()
        if page.file.src_uri in OUTSIDE:
            if files.get_file_from_path(path):
                return match[0]
        elif full.is_relative_to(config.docs_dir) and full.is_file():
            return match[0]
        if full in backwards:
            up = "../" * page.file.src_uri.count("/")
            return f"[{words}]({up}{backwards[full]}{'#' + anchor if anchor else ''})"
        return words

    parts = re.split(r"(?ms)(^```.*?^```$)", markdown)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def on_page_content(content, page, config, files):
    def formula(match):
        block = match[1] == "div"
        inside = html.unescape(match[2]).strip()[2:-2]
        drawn = convert(inside.replace(r"\lt", "<").replace(r"\gt", ">"), display="block" if block else "inline")
        return f"<div>{drawn}</div>" if block else drawn

    return re.sub(r'(?s)<(span|div) class="arithmatex">(.*?)</\1>', formula, content)


def on_post_page(output, page, config):
    """The script that lets pages from a disk be searched comes with the site, not from the network."""
    up = "../" * page.file.dest_uri.count("/")
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{up}assets/iframe-worker.js")


def on_post_template(output_content, template_name, config):
    return output_content.replace("https://unpkg.com/iframe-worker/shim", "assets/iframe-worker.js")
