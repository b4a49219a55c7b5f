"""What the pages need of Sphinx beyond its own: formulas as MathML, so that a reader needs no script and no network;
pictures inside the page, so that their lines take the colours of its text; and links from the names of functions, structs
and constants, wherever they stand as code, to where they are described.
"""

import json
import os
import re

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from latex2mathml.converter import convert
from sphinx.transforms.post_transforms import SphinxPostTransform


def mathml(text, display):
    made = convert(text.strip(), display="block" if display else "inline")
    # A command that latex2mathml does not know stays as it is, and braces that are left open are passed over.
    if "\\" in made or "<mo><mrow" in made or text.count("{") != text.count("}"):
        raise ValueError(f"this formula became no MathML: {text}")
    return made


def visit_math(writer, node):
    writer.body.append(mathml(node.astext(), False))
    raise nodes.SkipNode


def visit_math_block(writer, node):
    writer.body.append(f'<div class="math">{mathml(node.astext(), True)}</div>\n')
    raise nodes.SkipNode


class Picture(Directive):
    """A drawing of the site: {picture} NAME.svg, with what it shows as its text."""

    has_content, required_arguments = True, 1
    option_spec = {"alt": directives.unchanged}

    def run(self):
        environment = self.state.document.settings.env
        path = os.path.join(environment.srcdir, "drawings", self.arguments[0])
        environment.note_dependency(path)
        with open(path, encoding="utf-8") as file:
            drawing = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", file.read(), flags=re.S)
        caption = nodes.caption()
        self.state.nested_parse(self.content, self.content_offset, caption)
        text = caption.children[0].children if caption.children else []
        figure = nodes.container(classes=["picture"])
        figure += nodes.raw("", drawing, format="html")
        figure += nodes.paragraph("", "", *text, classes=["picture-caption"])
        return [figure]


class LinkNames(SphinxPostTransform):
    """`tenon_delassus` as code becomes a link to its description."""

    default_priority = 20

    def run(self, **_):
        targets = described(self.app)
        for node in list(self.document.findall(nodes.literal)):
            name = node.astext()
            page, heading = targets.get(name, (None, None))
            inside = node.parent
            while inside is not None and not isinstance(inside, (nodes.reference, nodes.title)):
                inside = inside.parent
            if page is None or inside is not None:
                continue
            here = self.app.builder.get_relative_uri(self.env.docname, page)
            link = nodes.reference("", "", internal=True, refuri=f"{here}#{heading}")
            node.replace_self(link)
            link += node


def described(app):
    """{name: (page, heading)} of functions, structs and constants."""
    if not hasattr(app, "tenon_targets"):
        app.tenon_targets = {}
        with open(os.path.join(app.srcdir, "api.json"), encoding="utf-8") as file:
            names = json.load(file)
        for kind in names["enums"]:  # constants stand in the table of their kind
            heading = "api/constants", kind["name"].replace("_", "-")
            app.tenon_targets.update({value["name"]: heading for value in kind["values"]})
        names = {one["name"] for kind in ("functions", "structs", "handles", "callbacks") for one in names[kind]}
        for page in sorted(app.env.found_docs):
            if page.startswith("api/"):
                with open(app.env.doc2path(page), encoding="utf-8") as file:
                    for name in re.findall(r"^#+ `?(tenonx?_\w+)`?$", file.read(), flags=re.M):
                        app.tenon_targets[name] = page, name.replace("_", "-")
        missing = names - set(app.tenon_targets)
        if missing:
            raise ValueError(f"no page describes {sorted(missing)[:5]}")
    return app.tenon_targets


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.config.html_math_renderer = "mathml"
    app.add_directive("picture", Picture)
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
