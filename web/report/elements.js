// Draws a report from the data in the page. Keys, values and names come from files that nobody vouches for: they reach
// the document as text nodes and attribute values only, never as markup. All files of this folder are one script, in
// the order in which CMakeLists.txt lists them; here are the elements that the others are made of.

const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const number = (n) => Number(n).toLocaleString("en-US");
const counted = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
const shorten = (text, most) => (text.length > most ? text.slice(0, Math.max(most - 1, 1)) + "…" : text);
// A key is known by its beginning and its end: what is too long loses its middle.
function middle(text, most) {
  if (text.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - tail)}…${tail > 0 ? text.slice(-tail) : ""}`;
}
const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
function duration(seconds) {
  const size = Math.abs(seconds);
  for (const [unit, factor] of [
    ["s", 1],
    ["ms", 1e3],
    ["µs", 1e6],
  ])
    if (size * factor >= 1) return `${+(seconds * factor).toPrecision(3)} ${unit}`;
  return `${Math.round(seconds * 1e9)} ns`;
}
function bytes(n) {
  if (n >= 1e9) return `${(n / 1e9).toFixed(1)} GB`;
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)} MB`;
  return n >= 1e3 ? `${(n / 1e3).toFixed(1)} kB` : `${n} bytes`;
}
