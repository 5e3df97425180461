// A scene: the drawing, the sentence about what is chosen, the steps.

const anchored = []; // whoever has steps with addresses: called with the part of the page that was asked for

// Whether the mouse is where it was: something has come to lie below it, nobody has moved it.
let mouse = null;
addEventListener("mousemove", (event) => {
  mouse = { x: event.screenX, y: event.screenY };
});
const mouseRests = (event) => mouse !== null && mouse.x === event.screenX && mouse.y === event.screenY;

function scene(story, one, letters, prefix) {
  const node = el("div", { class: "scene" });
  const address = (n) => `${prefix}step-${n}`;
  const byNumber = new Map(one.steps.map((s) => [s.number, s]));
  let pointed = null;
  let focused = null;
  let kept = null;
  let shown = null;
  const told = el("div", { class: "told", "aria-live": "polite" });
  const buttons = new Map();

  // What is pointed at is shown, else what has the focus, else what a click has kept. A page that scrolls under a
  // resting mouse brings other steps below it: that is not pointing.
  const hearing = (n) => ({
    onclick: () => {
      kept = kept === n ? null : n;
      pointed = focused = kept;
      show();
    },
    onmouseenter: (event) => {
      if (mouseRests(event)) return;
      pointed = n;
      show();
    },
    onmouseleave: () => {
      pointed = null;
      show();
    },
    onfocus: () => {
      pointed = null;
      focused = n;
      show();
    },
    onblur: () => {
      focused = null;
      show();
    },
  });
  const drawing = new Drawing(story, one, letters, hearing);
  function show() {
    shown = pointed ?? focused ?? kept;
    const step = shown === null ? null : byNumber.get(shown);
    drawing.light(step);
    for (const [number, button] of buttons) button.setAttribute("aria-pressed", String(number === shown));
    told.className = `told ${step ? kindOf(step) : ""}`;
    told.style.borderLeftColor = step ? "var(--edge)" : "";
    told.replaceChildren(
      ...(step
        ? [
            el(
              "p",
              {},
              el("strong", {}, `${step.number}. ${drawing.claim(step)}`),
              ` (${labelOf(step)}): ${step.reason}.`,
            ),
            el("p", { class: "why" }, ruleOf(step).means),
          ]
        : [
            el(
              "p",
              {},
              "An arrow from one transaction to another means: the first must come before the second. " +
                "Point at an arrow, or click it, to read why.",
            ),
            el(
              "p",
              { class: "why" },
              "The thick arrows close the circle. " +
                "Keyboard: Tab to the arrows or the steps, then the arrow keys; Escape lets go.",
            ),
          ]),
    );
  }
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      pointed = focused = kept = null;
      show();
    }
  });

  const list = el("ol", { class: "steps", "aria-label": "Steps of the derivation" });
  const claimable = new Set(one.cycle);
  for (const step of one.steps) {
    const button = el(
      "button",
      {
        type: "button",
        class: `step ${kindOf(step)}${step.rule === "program" ? " minor" : ""}`,
        "aria-pressed": "false",
        "data-step": step.number,
        tabindex: step.number === 1 ? "0" : "-1",
        ...hearing(step.number),
      },
      el("span", { class: "n", "aria-hidden": "true" }, step.number),
      el(
        "span",
        {},
        el("span", { class: "claim" }, drawing.claim(step)),
        el("span", { class: "rule" }, labelOf(step) + (step.key === undefined ? "" : ` · ${step.key}`)),
        claimable.has(step.number) && el("span", { class: "closing" }, "in the circle"),
      ),
      step.rule !== "program" && el("span", { class: "reason" }, sentence(step.reason)),
      step.premises.length > 0 &&
        el(
          "span",
          { class: "premises" },
          `Rests on step${step.premises.length > 1 ? "s" : ""} ${step.premises.join(", ")}.`,
        ),
    );
    button.addEventListener("keydown", (event) => {
      const all = [...buttons.keys()];
      const at = all.indexOf(step.number);
      const to = {
        ArrowDown: at + 1,
        ArrowRight: at + 1,
        ArrowUp: at - 1,
        ArrowLeft: at - 1,
        Home: 0,
        End: all.length - 1,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = buttons.get(all[(to + all.length) % all.length]);
      for (const other of buttons.values()) other.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
    buttons.set(step.number, button);
    const link = { class: "anchor", href: `#${address(step.number)}`, "aria-label": `Address of step ${step.number}` };
    list.append(el("li", { id: address(step.number) }, button, el("a", link, "#")));
  }
  const circle = one.cycle.map((n) => byNumber.get(n)).filter(Boolean);
  const kinds = new Set(
    one.steps
      .concat(impliedReads(one.steps))
      .filter((s) => s.from !== s.to)
      .map(kindOf),
  );
  const legend = el(
    "ul",
    { class: "legend", "aria-label": "Kinds of arrows" },
    LEGEND.filter(([kind]) => kinds.has(kind)).map(([kind, text]) =>
      el(
        "li",
        { class: kind },
        svg("svg", { width: 30, height: 8, "aria-hidden": "true" }, svg("line", { x1: 1, x2: 29, y1: 4, y2: 4 })),
        text,
      ),
    ),
  );
  const proof = el(
    "div",
    { class: "proof" },
    el("h3", {}, "Step by step"),
    el("p", { class: "hint" }, "Each step follows from what clients recorded, or from earlier steps."),
    list,
    one.leftOut > 0 &&
      el(
        "p",
        { class: "hint" },
        `… resting on ${counted(one.leftOut, "earlier step")} not shown here; assay check --json lists all.`,
      ),
    circle.length > 0 && contradiction(one, circle, drawing),
  );
  fill(node, {}, [
    el("div", { class: "board" }, drawing.node, told, el("div", { class: "under" }, legend, saveButtons(drawing))),
    proof,
  ]);
  show();
  const redraw = () => {
    const width = node.clientWidth;
    const beside = 400;
    node.classList.toggle("beside", width >= 1000 && drawing.wish <= width - beside);
    drawing.draw(drawing.node.clientWidth || 800);
    show();
  };
  const named = (name) => one.steps.find((s) => address(s.number) === name);
  const keep = (name) => {
    kept = named(name).number;
    show();
  };
  return { node, redraw, keep, has: (name) => Boolean(named(name)) };
}

function contradiction(one, circle, drawing) {
  const names = circle
    .map((s) => drawing.name(s.from))
    .filter((name, i, all) => name !== all[i - 1])
    .concat(drawing.name(circle[0].from));
  return el(
    "p",
    { class: "contradiction" },
    el("span", { class: "circle" }, `The contradiction: ${names.join(" → ")}`),
    ` (steps ${one.cycle.join(", ")}). ` +
      "Each would have to come before the next, and the last before the first. No order does that.",
  );
}

function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "";
}
