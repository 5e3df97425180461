"""Tells the version, which stands once for all of Assay, in CMakeLists.txt; all else is in pyproject.toml."""

import pathlib
import re

from setuptools import setup

_project = pathlib.Path(__file__).resolve().parent.parent / "CMakeLists.txt"
_version = re.search(r"^project\(assay VERSION ([0-9.]+)", _project.read_text(encoding="utf-8"), re.MULTILINE)
if _version is None:
    raise SystemExit(f"setup.py: {_project.name} names no version")
setup(version=_version[1])
