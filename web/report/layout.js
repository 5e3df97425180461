// What a drawing shows and where: rows of transactions, reads that steps speak of, operations that matter.

// Rows: a transaction stands below those that are known to come before it (session, reads-from, real time,
// list order), as long as these do not form a circle themselves.
function rows(cast, steps) {
  const certain = new Map(cast.map((t) => [t.id, new Set()]));
  const reaches = (from, to) => from === to || [...certain.get(from)].some((next) => reaches(next, to));
  const add = (from, to) => {
    if (from !== to && certain.has(from) && certain.has(to) && !reaches(to, from)) certain.get(from).add(to);
  };
  const byPlace = [...cast].sort((a, b) => a.session - b.session || a.position - b.position);
  byPlace.forEach((t, i) => {
    if (i > 0 && byPlace[i - 1].session === t.session) add(byPlace[i - 1].id, t.id);
  });
  for (const step of steps)
    if (["reads-from", "real-time", "version-order"].includes(step.rule)) add(step.from, step.to);
  const row = new Map();
  const place = (id) => {
    if (row.has(id)) return row.get(id);
    let at = 0;
    for (const [other, next] of certain) if (next.has(id)) at = Math.max(at, place(other) + 1);
    row.set(id, at);
    return at;
  };
  cast.forEach((t) => place(t.id));
  return row;
}

// Where a step speaks of a read and of who wrote what was read, that pair belongs into the drawing, although it is
// no step of its own: without it nobody sees why the step holds.
function impliedReads(steps) {
  const known = new Set(steps.filter((s) => s.rule === "reads-from").map((s) => `${s.from} ${s.to} ${s.keyId}`));
  const implied = new Map();
  for (const s of steps) {
    if (s.witness === undefined) continue;
    const [from, to] = s.rule === "anti-dependency" ? [s.witness, s.from] : [s.to, s.witness];
    const id = `${from} ${to} ${s.keyId}`;
    if (from === to || from === -1 || to === -1 || known.has(id)) continue;
    if (!implied.has(id)) implied.set(id, { from, to, rule: "reads-from", key: s.key, keyId: s.keyId, of: [] });
    implied.get(id).of.push(s.number);
  }
  return [...implied.values()];
}

function opsToShow(t, keys, reads, most) {
  const matters = (op) => keys.has(op.keyId) || reads.has(`${t.id}:${op.at}`);
  const wanted = t.operations.filter(matters);
  const shown = (wanted.length ? wanted : t.operations).slice(0, most);
  return { shown, hidden: t.count - shown.length };
}
