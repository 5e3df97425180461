// The verdict, at the top of the page: what it is about, what it is, and one sentence.

function count(verdict) {
  return data.levels.filter((l) => l.verdict === verdict).length;
}
const worst = () => (count("violated") ? "violated" : count("undecided") ? "undecided" : "holds");
const capital = (text) => text[0].toUpperCase() + text.slice(1);

function subject() {
  return data.provenance ? `${data.provenance.store}, ${data.provenance.isolation}` : "";
}

// Of one level; what the anomaly is called stands for the violation.
function singleHeadline(level) {
  const known =
    data.stories.length === 1 && data.stories[0].anomaly && data.stories[0].consequence ? data.stories[0].anomaly : "";
  if (level.verdict === "undecided") return `whether ${level.name} holds is undecided`;
  if (level.verdict === "holds") return `${level.name} holds`;
  if (known && subject()) return known;
  return `${level.name} is violated${known ? `: ${known}` : ""}`;
}

function manyHeadline() {
  const violated = count("violated");
  const undecided = count("undecided");
  const held = data.strongest;
  const best =
    held.length === 0
      ? "no level that was asked for holds"
      : held.length === 1
        ? `the strongest level that holds is ${held[0]}`
        : `the strongest levels that hold are ${held.slice(0, -1).join(", ")} and ${held.at(-1)}`;
  if (violated === 0 && undecided === 0) return `all ${data.levels.length} levels hold`;
  if (violated === 0)
    return `${number(undecided)} of ${data.levels.length} levels ${undecided === 1 ? "is" : "are"} undecided; ${best}`;
  return `${number(violated)} of ${data.levels.length} levels ${violated === 1 ? "is" : "are"} violated; ${best}`;
}

function headline() {
  const found = data.levels.length === 1 ? singleHeadline(data.levels[0]) : manyHeadline();
  return subject() ? `${subject()}: ${found}` : capital(found);
}

function sourceText() {
  const h = data.history;
  return (
    `${h.path || "history"} · ${counted(h.transactions, "transaction")} in ${counted(h.sessions, "session")}, ` +
    `${counted(h.operations, "operation")} on ${counted(h.keys, "key")} (${h.format})`
  );
}

const chip = (name, value) => el("li", {}, el("span", {}, name), " ", value);
function chips() {
  const p = data.provenance;
  if (!p) return null;
  const begun = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(p.begun);
  return el(
    "ul",
    { class: "chips", "aria-label": "The run" },
    chip("workload", p.workload),
    chip("sessions", p.sessions),
    chip("seed", p.seed),
    data.throughput && chip("ran", duration(data.throughput.seconds * data.throughput.commits.length)),
    chip("faults", p.faultsInAll ? number(p.faultsInAll) : "none"),
    begun && chip("begun", `${begun[1]} ${begun[2]} UTC`),
  );
}

// Why "holds" can be believed, and how far.
function belief() {
  const levels = data.levels.length === 1 ? ` --level ${data.levels[0].name}` : " --level LEVEL";
  return el(
    "ul",
    { class: "belief", "aria-label": "Why it can be believed" },
    data.belief.map((b) => el("li", { class: b.good ? "good" : "little" }, b.sentence)),
    el(
      "li",
      { class: "good" },
      "The verdict can be proved: ",
      el("code", {}, `assay check HISTORY${levels} --certificate PROOF`),
      " writes the proof, and ",
      el("code", {}, "assay verify PROOF HISTORY"),
      " checks it with none of the code that decided.",
    ),
  );
}

function verdict() {
  const found = worst();
  const text = headline();
  document.title = `${text} · Assay`;
  document.getElementById("source").append(sourceText());
  const story = data.stories[0];
  const lead = story ? story.sentences.slice(0, 1).map(sentence) : [];
  for (const level of data.levels)
    if (level.verdict === "undecided" && level.reason) lead.push(`${level.name}: ${level.reason}.`);
  const single = data.levels.length === 1 ? data.levels[0] : null;
  const node = document.getElementById("verdict");
  node.classList.add(`is-${found}`);
  fill(node, {}, [
    el("p", { class: `mark ${found}` }, single ? `${single.name} ${found}` : found),
    el("h1", { id: "headline" }, text),
    lead.map((s) => el("p", { class: "lead" }, s)),
    !story && single && el("p", { class: "promise" }, `${single.name} promises: ${single.promise}`),
    data.belief && belief(),
    el("div", { class: "facts" }, chips(), commandLine()),
  ]);
}

// What whoever made or read the history says about it.
function notesSection() {
  const notes = data.history.notes.concat(
    data.sessionOrder === "ignore" ? ["the order of transactions in a session is ignored"] : [],
  );
  if (notes.length === 0) return;
  document.getElementById("numbers").before(
    el(
      "section",
      { "aria-label": "Notes" },
      el(
        "ul",
        { class: "notes" },
        notes.map((n) => el("li", {}, n)),
      ),
    ),
  );
}
