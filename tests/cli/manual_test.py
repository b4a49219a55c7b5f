"""The manual pages say what the programs say of themselves: each command has its section, with exactly the options that its
--help prints; and mandoc or groff finds nothing wrong with them.

    python3 manual_test.py <tenon> <tenon_demo> <folder of the pages>
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

TENON, DEMO, PAGES = sys.argv[1:4]
OPTION = re.compile(r"(?:--[a-z][a-z0-9-]*|-[a-z])")
OF_ALL = {"-h", "--help"}  # told once for all commands


def printed(*command):
    return subprocess.run([*command, "--help"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def block(text, title):
    """The indented lines below a title."""
    found = re.search(rf"(?m)^{title}:\n((?:(?:  .*)?\n)*)", text)
    return found.group(1) if found else ""


def options(text):
    """The names of options in a help text: they begin a line, separated by commas."""
    lines = re.findall(r"(?m)^  (-\S+)", block(text, "Options"))
    return {name for line in lines for name in OPTION.findall(line)} - OF_ALL


def commands(*path):
    """All commands that take no further one, as tuples of words."""
    below = re.findall(r"(?m)^  ([a-z]+) ", block(printed(TENON, *path), "Subcommands"))
    return [leaf for name in below for leaf in commands(*path, name)] if below else [path]


def page(name):
    with open(os.path.join(PAGES, name + ".1"), encoding="utf-8") as file:
        return file.read()


def items(text):
    """The options that a part of a page lists: `.It Fl Fl name Ar ...`, `.It Fl o , Fl Fl output`."""
    names = set()
    for line in re.findall(r"(?m)^\.It (Fl .*)", text):
        names |= {"--" + name for name in re.findall(r"Fl Fl ([a-z0-9-]+)", line)}
        names |= {"-" + name for name in re.findall(r"Fl ([a-z])\b(?!-)", line)}
    return names - OF_ALL


def sections():
    return dict(re.findall(r"(?ms)^\.Ss ([^\n]*)\n(.*?)(?=^\.S[sh] |\Z)", page("tenon")))


class Manual(unittest.TestCase):
    def test_commands_have_sections(self):
        below = {" ".join(path) for path in commands()}
        self.assertGreaterEqual(len(below), 8)
        told = {name for name in sections() if not name.startswith("Options of")}
        self.assertEqual(told, below)
        for path in below:
            self.assertRegex(page("tenon"), rf"(?m)^\.Nm\n\.Cm {path}$", "the synopsis has each command")

    def test_options_are_those_of_the_program(self):
        told = sections()
        for path in commands():
            with self.subTest(command=" ".join(path)):
                text = told[" ".join(path)]
                listed = items(text)
                for group in re.findall(r"(?m)^\.Sx (Options of [a-z ]*[a-z])", text):
                    listed |= items(told[group])
                self.assertEqual(listed, options(printed(TENON, *path)))
        self.assertIn("--gravity", options(printed(TENON, "info")))
        self.assertEqual(options(printed(TENON)), {"--version"})

    def test_defaults_are_those_of_the_program(self):
        told = sections()
        for path in commands():
            for name, default in re.findall(r"(?m)^  (?:-o,|--stabilise,)?--([a-z0-9-]+) ?[^\s=]*?=(\S+)",
                                            block(printed(TENON, *path), "Options")):
                if default.isupper():  # JOINT=VALUE is no default
                    continue
                places = [told[" ".join(path)], *(text for title, text in told.items() if title.startswith("Options of"))]
                entries = [entry for text in places for entry in re.findall(rf"(?ms)^\.It [^\n]*Fl Fl {name}\b.*?(?=^\.It |\Z)", text)]
                self.assertTrue(any(f"({default}" in entry.replace("\\-", "-") for entry in entries),
                                f"{' '.join(path)}: the page does not say ({default}) of --{name}")

    def test_demo(self):
        self.assertEqual(items(page("tenon_demo")), options(printed(DEMO)))

    def test_pages_are_well_formed(self):
        checkers = [["mandoc", "-Tlint", "-W", "style"], ["groff", "-ww", "-mandoc", "-Tutf8", "-z"]]
        present = [checker for checker in checkers if shutil.which(checker[0])]
        if not present:
            self.skipTest("neither mandoc nor groff is installed; run packaging/setup.sh test")
        for checker in present:
            for name in ("tenon", "tenon_demo"):
                done = subprocess.run([*checker, os.path.join(PAGES, name + ".1")], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, universal_newlines=True)
                # That the other page is not installed yet is no fault of this one.
                wrong = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
                self.assertEqual(wrong, [], checker[0])


unittest.main(argv=sys.argv[:1], verbosity=2)
