#!/usr/bin/env python3
"""Plants a breach of every rule of scripts/rules in a copy of the tree and sees that it is caught, it alone and at its place;
and plants what looks like a breach and is none."""
import importlib.machinery
import importlib.util
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load_rules():
    loader = importlib.machinery.SourceFileLoader("rules", str(ROOT / "scripts" / "rules"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rules", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


rules = load_rules()


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        for top in ("src", "include", "web"):
            shutil.copytree(ROOT / top, cls.root / top)
        cls.before = set(rules.breaches(cls.root))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def new_breaches(self, files):
        """What is told after these {path: content} were added, and was not before."""
        made = []
        try:
            for path, content in files.items():
                target = self.root / path
                self.assertFalse(target.exists(), path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(content)
                made.append(target)
            return sorted(set(rules.breaches(self.root)) - self.before)
        finally:
            for target in made:
                target.unlink()
                if not any(target.parent.iterdir()):
                    target.parent.rmdir()

    def assert_caught(self, files, *starts):
        found = self.new_breaches(files)
        self.assertEqual(len(found), len(starts), found)
        for breach, start in zip(found, sorted(starts)):
            self.assertTrue(breach.startswith(start), f"{breach!r} does not start with {start!r}")

    def assert_fine(self, files):
        self.assertEqual(self.new_breaches(files), [])

    # (a) folder edges

    def test_a_lower_folder_includes_a_higher_one(self):
        self.assert_caught({"src/history/planted.hpp": '#pragma once\n#include "format/format.hpp"\n'},
                           "src/history/planted.hpp:2: (a)")

    def test_the_verifier_includes_the_engine(self):
        self.assert_caught({"src/verify/planted.cpp": '#include "check/outcome.hpp"\n'}, "src/verify/planted.cpp:1: (a)")

    def test_weak_and_strong_include_each_other(self):
        self.assert_caught({"src/check/weak/planted.cpp": '#include "check/strong/strong.hpp"\n'},
                           "src/check/weak/planted.cpp:1: (a)")
        self.assert_caught({"src/check/strong/planted.cpp": '#include "check/opinion/width.hpp"\n'},
                           "src/check/strong/planted.cpp:1: (a)")

    def test_something_includes_the_command_line(self):
        self.assert_caught({"src/watch/planted.cpp": '#include "cli/command.hpp"\n'}, "src/watch/planted.cpp:1: (a)")

    def test_a_folder_that_nobody_planned(self):
        self.assert_caught({"src/utilities/planted.hpp": "#pragma once\n"}, "src/utilities/planted.hpp: (a)")

    def test_a_comment_includes_nothing(self):
        self.assert_fine({"src/history/planted.hpp": '#pragma once\n// #include "check/check.hpp" would be wrong here\n'})

    # (b) circles

    def test_modules_include_each_other(self):
        self.assert_caught({"src/order/planted.hpp": "#pragma once\n",
                            "src/order/planted.cpp": '#include "order/planted_too.hpp"\n',
                            "src/order/planted_too.hpp": '#pragma once\n#include "order/planted.hpp"\n'},
                           "src/order/planted: (b)")

    def test_a_module_includes_itself_and_others_in_one_direction(self):
        self.assert_fine({"src/order/planted.hpp": "#pragma once\n",
                          "src/order/planted.cpp": '#include "order/planted.hpp"\n#include "order/planted_too.hpp"\n',
                          "src/order/planted_too.hpp": "#pragma once\n"})

    # (c) the entrance of the engine

    def test_the_engine_is_entered_from_behind(self):
        self.assert_caught({"src/cli/planted.cpp": '#include "check/strong/strong.hpp"\n'}, "src/cli/planted.cpp:1: (c)")
        self.assert_caught({"src/evidence/planted.cpp": '#include "check/fates.hpp"\n'}, "src/evidence/planted.cpp:1: (c)")

    def test_the_engine_is_entered_from_the_front(self):
        self.assert_fine({"src/watch/planted.cpp": '#include "check/check.hpp"\n#include "check/outcome.hpp"\n'})

    # (d) options

    def test_the_library_names_an_option(self):
        self.assert_caught({"src/format/planted.cpp": '\nconst char* kAdvice = "try --initial=none";\n'},
                           "src/format/planted.cpp:2: (d)")

    def test_dashes_that_name_no_option_of_ours(self):
        self.assert_fine({"src/format/planted.cpp": "// As --initial=none does.\n"
                                                    'const char* kDashes = "a -- b, 1--2, x--y";\nint less(int n) { return --n; }\n',
                          "src/cli/planted.cpp": 'const char* kAdvice = "try --initial=none";\n',
                          "src/database/server/planted_too.cpp": 'const char* kFlag = "--no-defaults";\n'})

    # (e) telling is not deciding

    def test_the_report_decides(self):
        self.assert_caught({"src/report/planted.cpp": '#include "check/check.hpp"\n'}, "src/report/planted.cpp:1: (e)")

    def test_the_served_page_decides(self):
        self.assert_caught({"src/serve/planted.cpp": '#include "check/check.hpp"\n'}, "src/serve/planted.cpp:1: (e)")

    # (f) sizes

    def test_a_long_file(self):
        self.assert_caught({"src/order/planted.cpp": "\n" * 501}, "src/order/planted.cpp: (f) 501 lines")
        self.assert_fine({"src/order/planted.cpp": "\n" * 500})

    def test_a_long_function(self):
        def function(lines):
            return "int before();\n\nint planted(int a,\n            int b) {\n" + "  ++a;\n" * (lines - 3) + "}\n"
        self.assert_caught({"src/order/planted.cpp": function(81)}, "src/order/planted.cpp:3: (f) a function of 81 lines")
        self.assert_fine({"src/order/planted.cpp": function(80)})

    def test_a_long_constructor_and_a_long_member(self):
        self.assert_caught({"src/order/planted.cpp": "class Planted {\n  explicit Planted(int a)\n      : a_(a),\n        b_{a} {\n"
                                                     + "    ++b_;\n" * 80 + "  }\n};\n"},
                           "src/order/planted.cpp:2: (f) a function of 84 lines")
        self.assert_caught({"src/order/planted.cpp": "struct Planted {\n  int a() const override {\n" + "    ++b;\n" * 80
                                                     + "  }\n};\n"},
                           "src/order/planted.cpp:2: (f) a function of 82 lines")

    def test_long_things_that_are_no_function(self):
        rows = '    {"a {", 1},\n' * 100
        self.assert_fine({"src/order/planted.cpp": f"namespace assay {{\nconst Row kTable[] = {{\n{rows}}};\n}}\n",
                          "src/order/planted_too.hpp": "#pragma once\nclass Planted {\n" + "  int f() const;\n" * 100 + "};\n"})

    def test_a_wide_line_of_the_page(self):
        self.assert_caught({"web/planted.js": "\n//" + "x" * 119 + "\n"}, "web/planted.js:2: (f) 121 columns")
        self.assert_fine({"web/planted.css": "/*" + "x" * 116 + "*/\n"})

    def test_a_full_folder(self):
        already = len(list((self.root / "src/order").glob("*.[ch]pp")))
        files = {f"src/order/planted_{n}.cpp": "" for n in range(31 - already)}
        self.assert_caught(files, "src/order: (f) 31 files")
        files.popitem()
        self.assert_fine(files)

    # (g) names

    def test_one_name_in_two_folders(self):
        self.assert_caught({"src/order/planted.hpp": "#pragma once\n", "src/level/planted.cpp": ""},
                           "src/level/planted: (g)")

    def test_a_subcommand_has_the_name_of_what_it_calls(self):
        self.assert_fine({"src/order/planted.hpp": "#pragma once\n", "src/cli/planted.cpp": ""})

    # The list of what is let through

    def test_at_most_five_exemptions(self):
        self.assertLessEqual(len(rules.EXEMPT), 5)


if __name__ == "__main__":
    unittest.main()
