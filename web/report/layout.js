// What a drawing shows and where: rows of transactions, reads that steps speak of, operations that matter, and which
// operation proves an end of a step.

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
    if (!implied.has(id))
      implied.set(id, {
        from,
        to,
        rule: "reads-from",
        key: s.key,
        keyId: s.keyId,
        readBy: s.readBy,
        readAt: s.readAt,
        of: [],
      });
    implied.get(id).of.push(s.number);
  }
  return [...implied.values()];
}

// Mere writers: all that the drawing has to say of them is who read from them. A tag at the read says that.
function mereWriters(cast, edges, inCircle) {
  const readers = new Set(edges.map((s) => s.to));
  const out = new Set();
  for (const t of cast) {
    const own = edges.filter((s) => s.from === t.id);
    const told = own.every((s) => s.rule === "reads-from" && s.to !== -1 && s.keyId !== undefined);
    if (!inCircle.has(t.id) && !readers.has(t.id) && own.length > 0 && told) out.add(t.id);
  }
  return out;
}

function opsToShow(t, keys, reads, most) {
  const matters = (op) => keys.has(op.keyId) || reads.has(`${t.id}:${op.at}`);
  const wanted = t.operations.filter(matters);
  const shown = (wanted.length ? wanted : t.operations).slice(0, most);
  return { shown, hidden: t.count - shown.length };
}

const isQuery = (op) => op.keyId === undefined;
const isRead = (op) => ["read", "list-read"].includes(op.kind) || isQuery(op);

// The operation, among those shown of a transaction, by which a step leaves it or comes to it; none where the step is
// not about a key.
function proving(step, id, shown) {
  if (step.keyId === undefined) return undefined;
  const exact = step.readBy === id ? shown.find((op) => op.at === step.readAt) : undefined;
  const reads = step.rule === "reads-from" ? id === step.to : kindOf(step) === "rw" && id === step.from;
  if (reads) return exact || shown.find((op) => isRead(op) && (op.keyId === step.keyId || isQuery(op)));
  const writes = shown.filter((op) => op.keyId === step.keyId && !isRead(op));
  return writes[writes.length - 1] || exact;
}

// Versions that several operations of a drawing touch get a number, which is a colour: who saw the same is seen without
// reading.
function sharedVersions(operations) {
  const times = new Map();
  for (const op of operations) {
    const version = versionOf(op);
    if (version) times.set(version, (times.get(version) || 0) + 1);
  }
  const shared = [...times.keys()].filter((version) => times.get(version) > 1);
  return new Map(shared.map((version, i) => [version, i % 6]));
}
const versionOf = (op) => (isQuery(op) || op.kind === "delete" ? null : `${op.keyId} ${op.initial ? "" : op.value}`);

// The lines of an operation in a box: a value is never cut, it goes on below; a key loses its middle.
function opLines(op, chars) {
  const value = valueOf(op);
  const head = (key) => `${verb(op)} ${key}${value ? join(op) : ""}`;
  if (head(op.key).length + value.length <= chars) return { head: head(op.key), value, more: [] };
  const around = head("").length;
  const beside = chars - around - value.length;
  if (beside >= Math.min(op.key.length, 9)) return { head: head(middle(op.key, beside)), value, more: [] };
  const more = [];
  for (let at = 0; at < value.length; at += chars - 2) more.push(value.slice(at, at + chars - 2));
  return { head: head(middle(op.key, Math.max(chars - around, 5))), value: "", more };
}
