// The words of a report: what rules, verdicts and operations are called.

// What each rule means to somebody who knows SQL; `kind` picks colour and stroke.
const RULES = {
  "program": { kind: "so", label: "begin to commit", means: "A transaction begins before it commits." },
  "session": { kind: "so", label: "session", means: "One client ran both, one after the other." },
  "reads-from": { kind: "wr", label: "reads-from", means: "Who reads a value comes after whoever wrote it." },
  "initial": {
    kind: "rw",
    label: "anti-dependency",
    means: "Who still saw the key as it was before any write comes before every writer of it.",
  },
  "real-time": { kind: "rt", label: "real time", means: "One had ended, by the clock, before the other started." },
  "version-order": {
    kind: "ww",
    label: "version order",
    means: "A list that was read shows in which order its elements were added.",
  },
  "overwritten": {
    kind: "ww",
    label: "write order",
    means: "Both wrote the key, and a later reader saw only one of the two: the other had been overwritten by then.",
  },
  "anti-dependency": {
    kind: "rw",
    label: "anti-dependency",
    means: "Who read the older value comes before whoever overwrote it.",
  },
  "first-committer": {
    kind: "ww",
    label: "first committer",
    means:
      "Of two transactions that overlap and write the same key, only one may commit; so these two did not overlap.",
  },
  "axiom": {
    kind: "ww",
    label: "write order",
    means:
      "The level says that this write was visible to the read; " +
      "the read saw another, so this one had been overwritten by then.",
  },
  "decision": {
    kind: "as",
    label: "assumed",
    means: "One of the ways in which it can have been; the other ways have their own case.",
  },
};
const LEGEND = [
  ["wr", "reads-from: read what the other wrote"],
  ["rw", "anti-dependency: read before the other overwrote it"],
  ["ww", "write order: which write came first"],
  ["so", "session: same client, in this order"],
  ["rt", "real time: ended before the other started"],
  ["as", "assumed in this case"],
];
const ruleOf = (step) => RULES[step.rule] || { kind: "so", label: step.rule, means: "" };
const kindOf = (step) => (step.rule === "initial" && step.from === -1 ? "so" : ruleOf(step).kind);
const labelOf = (step) => (step.rule === "initial" && step.from === -1 ? "initial state" : ruleOf(step).label);

const VERBS = {
  "read": "read",
  "list-read": "read",
  "write": "write",
  "insert": "insert",
  "append": "append",
  "delete": "delete",
  "predicate-read": "select",
  "range-read": "range",
  "rows-read": "rows",
};
const verb = (op) => VERBS[op.kind] || op.kind;
const valueOf = (op) => (op.initial ? (op.kind === "delete" ? "" : "initial") : op.value || "");
const join = (op) => (op.kind === "append" ? " + " : op.kind === "delete" && op.initial ? "" : " = ");

const transactions = new Map(data.transactions.map((t) => [t.id, t]));
const sessions = new Map(data.sessions.map((s) => [s.id, s]));
const sessionName = (t) => (sessions.has(t.session) ? sessions.get(t.session).name : "");
