"""The module on the C interface: everything that it has, once."""
import json

import pytest

import assay


def lost_update():
    build = assay.Builder()
    for session, value in (("alice", 1), ("bob", 2)):
        build.begin(session, value).read("x", None).write("x", value).end()
    return build.finish()


def test_a_lost_update_is_found_and_explained():
    report = assay.check(lost_update(), ["read-committed", "si"])
    assert report.verdict == assay.Verdict.VIOLATED
    assert [(each.level, each.verdict) for each in report.results] == [
        ("read-committed", assay.Verdict.HOLDS), ("snapshot-isolation", assay.Verdict.VIOLATED)]
    assert "Lost update" in report.results[1].explanation and report.results[0].explanation == ""
    assert report.strongest == "read-committed"
    assert report.json["results"][1]["verdict"] == "violated"
    assert report.page.startswith("<!") and report.dot.startswith("digraph") and "<testsuite" in report.junit
    with pytest.raises(assay.Violation, match="Lost update"):
        report.require()


def test_certificates_are_verified():
    history = lost_update()
    report = assay.check(history, "serializable")
    proof = report.certificate()
    found = assay.verify(history, proof)
    assert found.accepted and found.level == "serializable" and found.verdict == assay.Verdict.VIOLATED
    assert not assay.verify(history, proof.replace("violated", "holds")).accepted
    with pytest.raises(assay.Error):
        assay.verify(history, "something else")
    with pytest.raises(IndexError):
        report.certificate(1)


def test_lists_queries_deletes_and_times_are_understood():
    build = assay.Builder()
    build.begin(1, 1).append("l", 1).append("l", 2).insert("row:1", 15).end(start=1, end=2)
    build.begin(2, 2).list_read("l", [1, 2]).end(start=3, end=4)
    build.begin(2, 3).range_read("row:", "row:9", [("row:1", 15)]).predicate_read("row:* between 10 and 19", [("row:1", 15)])
    build.erase("row:1").end(start=5, end=6)
    build.begin(1, 4).read("row:1", None).end(assay.Fate.ABORTED, start=7, end=8)
    history = build.finish()
    assert (history.sessions, history.transactions, history.keys) == (2, 4, 2)
    assert assay.check(history, "strict-serializable").verdict == assay.Verdict.HOLDS
    missed = assay.Builder()
    missed.begin(1, 1).insert("row:1", 15).end(start=1, end=2)
    missed.begin(2, 2).range_read("row:", "row:9", []).end(start=3, end=4)
    assert assay.check(missed.finish(), "strict-serializable").verdict == assay.Verdict.VIOLATED


def test_a_watcher_tells_a_violation_once(tmp_path):
    watcher = assay.Watcher("serializable")
    watcher.admit("alice")
    watcher.admit("bob")
    watcher.all_admitted()
    path = tmp_path / "history.jsonl"
    lost_update().write(path)
    watcher.add(assay.read(path))
    found = watcher.decide()
    assert found.verdict == assay.Verdict.VIOLATED and found.transactions == 2
    assert found.report is not None and "Lost update" in found.report.text
    assert watcher.decide().verdict == assay.Verdict.HOLDS


def test_mistakes_are_exceptions_that_say_what_was_expected(tmp_path):
    with pytest.raises(assay.Error, match="unknown level 'acid'"):
        assay.check(lost_update(), "acid")
    with pytest.raises(assay.Error, match="no level is asked for"):
        assay.check(lost_update(), [])
    with pytest.raises(assay.Error, match="missing"):
        assay.read(tmp_path / "missing")
    with pytest.raises(assay.Error, match="no transaction is open"):
        assay.Builder().write("x", 1)
    with pytest.raises(assay.Error, match="64 bits"):
        assay.Builder().begin(2**64, 1)
    with pytest.raises(TypeError):
        assay.Builder().begin(1.5, 1)
    with pytest.raises(assay.Error, match="before it starts"):
        assay.Builder().begin(1, 1).end(start=2, end=1)
    with pytest.raises(assay.Error, match="method cannot be 'luck'"):
        assay.check(lost_update(), "si", assay.Options(method="luck"))
    assert assay.check(lost_update(), "causal", assay.Options(require_committed=3)).verdict == assay.Verdict.UNDECIDED


def test_the_levels_are_known():
    assert len(assay.levels()) == 14 and "serializable" in assay.levels()
    assert json.dumps(assay.__version__)
