// The verdict, at the top of the page.

function count(verdict) {
  return data.levels.filter((l) => l.verdict === verdict).length;
}

function headline() {
  if (data.levels.length === 1) {
    const level = data.levels[0];
    const known =
      data.stories.length === 1 && data.stories[0].anomaly && data.stories[0].consequence
        ? `: ${data.stories[0].anomaly}`
        : "";
    return level.verdict === "undecided"
      ? `Whether ${level.name} holds is undecided`
      : level.verdict === "holds"
        ? `${level.name} holds`
        : `${level.name} is violated${known}`;
  }
  const violated = count("violated");
  const undecided = count("undecided");
  const best = data.strongest
    ? `the strongest level that holds is ${data.strongest}`
    : "no level that was asked for holds";
  if (violated === 0 && undecided === 0) return `All ${data.levels.length} levels hold`;
  if (violated === 0)
    return `${number(undecided)} of ${data.levels.length} levels ${undecided === 1 ? "is" : "are"} undecided; ${best}`;
  return `${number(violated)} of ${data.levels.length} levels ${violated === 1 ? "is" : "are"} violated; ${best}`;
}

function verdict() {
  const worst = count("violated") ? "violated" : count("undecided") ? "undecided" : "holds";
  const text = headline();
  document.title = `${text} · Assay`;
  const h = data.history;
  document
    .getElementById("source")
    .append(
      el("span", { class: "mono" }, h.path || "history"),
      ` · ${counted(h.transactions, "transaction")} in ${counted(h.sessions, "session")}, ` +
        `${counted(h.operations, "operation")} on ${counted(h.keys, "key")} (${h.format})`,
    );
  const single = data.levels.length === 1 ? data.levels[0] : null;
  const lead = [];
  const story = data.stories[0];
  if (story) lead.push(...story.sentences);
  else if (worst === "holds")
    lead.push("What the clients saw can be explained by one order of the transactions; the check found such an order.");
  for (const level of data.levels)
    if (level.verdict === "undecided" && level.reason) lead.push(`${level.name}: ${level.reason}.`);
  const notes = h.notes.concat(
    data.sessionOrder === "ignore" ? ["the order of transactions in a session is ignored"] : [],
  );
  fill(document.getElementById("verdict"), {}, [
    el("p", { class: `mark ${worst}` }, worst),
    el("h1", { id: "headline" }, text[0].toUpperCase() + text.slice(1)),
    single && el("p", { class: "promise" }, `${single.name} promises: ${single.promise}`),
    lead.map((s) => el("p", { class: "lead" }, s)),
    story && story.consequence && el("p", { class: "promise" }, `What it means: ${story.consequence}`),
    notes.length > 0 &&
      el(
        "ul",
        { class: "notes" },
        notes.map((n) => el("li", {}, n)),
      ),
  ]);
}
