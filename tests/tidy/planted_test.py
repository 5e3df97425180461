#!/usr/bin/env python3
"""clang-tidy finds in files that scripts/tidy joins what it finds in each alone, and a file that lives on the includes of
another is found out."""
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CLEAN = "#include <string>\nnamespace clean { std::string name() { return {}; } }\n"

# One breach each, of a check that matches and of one that explores paths.
PLANTED = """#include <string>
#include <utility>
namespace other { struct Thing {}; }
using other::Thing;
namespace planted {
struct Base {
  virtual ~Base() = default;
  virtual int size() const { return 0; }
};
struct Derived : Base {
  int size() const { return 1; }
};
int forgets_what_it_checked(int* at, bool absent) {
  if (absent) at = nullptr;
  return *at;
}
std::size_t uses_what_was_moved(std::string text) {
  const std::string taken = std::move(text);
  return text.length() + taken.length();
}
bool counts_to_see(const std::string& text) { return text.size() == 0; }
int ignores(int given) { return 0; }
}  // namespace planted
"""
FOUND = {"clang-analyzer-core.NullDereference", "bugprone-use-after-move", "readability-container-size-empty",
         "misc-unused-using-decls", "misc-unused-parameters", "modernize-use-override"}


def load_tidy():
    loader = importlib.machinery.SourceFileLoader("tidy", str(ROOT / "scripts" / "tidy"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tidy", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def names(complaints):
    return {name for told in re.findall(r"\[([a-zA-Z0-9.,-]+)\]$", complaints, re.M) for name in told.split(",")}


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        shutil.copy(ROOT / ".clang-tidy", self.root)
        self.tidy = load_tidy()
        self.tidy.COMMANDS = self.root / "compile_commands.json"
        self.entries = []

    def source(self, name, text):
        path = self.root / name
        path.write_text(text)
        command = f"clang++ -std=c++20 -o {name}.o -c {path}"
        self.entries.append({"directory": str(self.root), "file": str(path), "command": command})
        self.tidy.COMMANDS.write_text(json.dumps(self.entries))
        return path, command

    def complaints(self, paths, command):
        self.marked = []
        return self.tidy.complaints_about(paths, [command], self.marked.append)

    def test_what_is_found_alone_is_found_in_joined_files(self):
        clean, _ = self.source("clean.cpp", CLEAN)
        planted, command = self.source("planted.cpp", PLANTED)
        alone = names(self.tidy.tidy(planted, self.root))
        self.assertLessEqual(FOUND, alone)
        together = self.tidy.tidy_together([clean, planted], [command]) + self.tidy.tidy(planted, self.root, self.tidy.ONLY_ALONE)
        self.assertEqual(names(together), alone)

    def test_only_the_file_with_the_breach_is_complained_about(self):
        clean, _ = self.source("clean.cpp", CLEAN)
        planted, command = self.source("planted.cpp", "int ignores(int given) { return 0; }\n")
        self.assertEqual(names(self.complaints([clean, planted], command)) - {"-warnings-as-errors"}, {"misc-unused-parameters"})
        self.assertEqual(self.marked, [clean])

    def test_helpers_of_one_name_are_no_complaint(self):
        text = "namespace { int help() { return 1; } }\nint %s() { return help(); }\n"
        one, _ = self.source("one.cpp", text % "one")
        two, command = self.source("two.cpp", text % "two")
        self.assertEqual(self.complaints([one, two], command), "")
        self.assertEqual(self.marked, [one, two])

    def test_a_forgotten_include_is_found(self):
        clean, _ = self.source("clean.cpp", CLEAN)
        forgets, command = self.source("forgets.cpp", "std::string forgotten() { return {}; }\n")
        self.assertEqual(self.tidy.tidy_together([clean, forgets], [command]), "")
        self.assertIn("forgets.cpp", self.complaints([clean, forgets], command))
        self.assertEqual(self.marked, [clean])


if __name__ == "__main__":
    if not shutil.which("clang-tidy"):
        print("clang-tidy is not here")
        sys.exit(77)
    unittest.main()
