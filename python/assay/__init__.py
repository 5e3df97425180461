"""Assay: did a database keep its isolation level, judged by what its clients sent and saw?

    with assay.recording(connection) as r:
        another = r.session(connect())
        ...                                # use r.connection and another as you would use the connections themselves
    print(r.check("serializable").text)
"""
from ._library import Error, functions as _functions, text as _text
from ._statement import Unrecordable
from .history import Builder, Fate, History, read
from .recording import Recording, recording, remove_columns
from .verdict import Options, Report, Result, Verdict, Verification, Violation, check, levels, verify
from .watcher import Round, Watcher

__version__: str = _text(_functions.version())

__all__ = ["Builder", "Error", "Fate", "History", "Options", "Recording", "Report", "Result", "Round", "Unrecordable", "Verdict",
           "Verification", "Violation", "Watcher", "check", "levels", "read", "recording", "remove_columns", "verify"]
