// To pass on: the verdict as text or Markdown, the small history, the drawing as a picture, the command.

const download = (name, content) => {
  const address = URL.createObjectURL(content);
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page from a disk may not be allowed the clipboard: then by way of a selection.
    const field = el("textarea", { class: "sr", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

// A button that says for a moment that it was done.
function action(label, done, act, attributes) {
  const button = el("button", { type: "button", class: "quiet", ...attributes }, label);
  button.addEventListener("click", async () => {
    await act();
    button.textContent = done;
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

const opText = (op) => `${verb(op)} ${op.key}${valueOf(op) ? join(op) + valueOf(op) : ""}`;

// Lines of {text, code}: what is told, once for both forms.
function tellingLines() {
  const lines = [{ text: sourceText() }];
  for (const level of data.levels)
    lines.push({ text: `${level.name}: ${level.verdict}${level.reason ? ` (${level.reason})` : ""}.` });
  for (const story of data.stories) {
    if (data.stories.length > 1) lines.push({ text: `Why ${story.level} is violated:` });
    lines.push(...story.sentences.map((text) => ({ text })));
    if (story.consequence) lines.push({ text: `What it means: ${story.consequence}` });
    for (const { transaction, label } of story.cast.slice(0, 12)) {
      const t = transactions.get(transaction);
      if (!t) continue;
      const hidden = t.count - t.operations.length;
      const did = t.operations.map(opText).join(", ") + (hidden > 0 ? `, and ${number(hidden)} more` : "");
      lines.push({ code: `${label} = transaction ${t.name} of session ${sessionName(t)}: ${did}` });
    }
    story.scenes.forEach((scene, i) => {
      if (story.scenes.length > 1) lines.push({ text: `Case ${i + 1}: if ${scene.assumptions.join(", and ")}:` });
      const letters = new Map(story.cast.map((c) => [c.transaction, c.label]));
      const drawing = new Drawing(story, scene, letters, () => ({}));
      for (const step of scene.steps)
        if (step.rule !== "program") lines.push({ code: `${step.number}. ${drawing.claim(step)}: ${step.reason}.` });
    });
  }
  if (data.command) lines.push({ text: "To see it again:" }, { code: data.command });
  return lines;
}

function asText() {
  return [headline(), ...tellingLines().map((l) => (l.text === undefined ? `  ${l.code}` : l.text))].join("\n") + "\n";
}

// What stands in the history stays text; indented lines are code.
function asMarkdown() {
  const plain = (text) => text.replace(/[\\`*_[\]<>|#~]/g, "\\$&");
  let out = `### ${plain(headline())}\n`;
  let before = "heading";
  for (const line of tellingLines()) {
    const kind = line.text === undefined ? "code" : "text";
    if (kind === "text" || before !== "code") out += "\n";
    out += kind === "code" ? `    ${line.code}\n` : `${plain(line.text)}\n`;
    before = kind;
  }
  return out;
}

// The drawing by itself: the rules of the page that apply to it become its own.
const STYLES = [
  ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity"],
  ...["font-family", "font-size", "font-weight", "font-style", "text-anchor"],
];
function standalone(picture) {
  const out = picture.cloneNode(true);
  const copies = [out, ...out.querySelectorAll("*")];
  [picture, ...picture.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) copies[i].style.setProperty(name, style.getPropertyValue(name));
  });
  const back = svg("rect", { width: "100%", height: "100%" });
  back.style.fill = getComputedStyle(picture.closest(".drawing")).backgroundColor;
  out.prepend(back);
  out.setAttribute("xmlns", SVG);
  return new XMLSerializer().serializeToString(out);
}

function savePng(picture) {
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => {
      const scale = Math.min(2, 8000 / Math.max(image.width, image.height));
      const canvas = el("canvas", { width: image.width * scale, height: image.height * scale });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => resolve(download("drawing.png", blob)));
    };
    image.onerror = reject;
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(picture))}`;
  });
}

const saveButtons = (drawing) =>
  el(
    "p",
    { class: "save" },
    action("Save as SVG", "Saved", () =>
      download("drawing.svg", new Blob([standalone(drawing.svg)], { type: "image/svg+xml" })),
    ),
    action("Save as PNG", "Saved", () => savePng(drawing.svg)),
  );

function shareBar() {
  const bar = document.getElementById("share");
  const phone = 600;
  if (innerWidth <= phone) document.getElementById("stories").after(bar); // the picture comes first
  bar.append(
    action("Copy as text", "Copied", () => copy(asText())),
    action("Copy as Markdown", "Copied", () => copy(asMarkdown())),
  );
  if (data.smallHistory)
    bar.append(
      action(
        "Download the small history",
        "Saved",
        () => download("counterexample.jsonl", new Blob([data.smallHistory], { type: "application/jsonl" })),
        { title: "The transactions of the first counterexample, which violate the level by themselves" },
      ),
    );
}

const commandLine = () =>
  data.command &&
  el(
    "p",
    { class: "command" },
    el("code", { title: data.command }, data.command),
    action("Copy", "Copied", () => copy(data.command), { "aria-label": "Copy the command that gives this again" }),
  );
