// Opens reports in a real browser: they show the right transactions, answer to clicks and keys, complain of
// nothing and fetch nothing. Usage: node report_test.mjs ASSAY CHROMIUM FOLDER
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open, withBrowser } from "./browser.mjs";

const [assay, chromium, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

// Makes the report of a history in Assay's own format and returns where it is.
function report(name, lines, ...options) {
  const history = join(folder, `${name}.jsonl`);
  const page = join(folder, `${name}.html`);
  writeFileSync(history, lines.join("\n") + "\n");
  const ran = spawnSync(assay, ["check", history, "--report", page, "--quiet", ...options], { encoding: "utf8" });
  assert.ok([0, 1, 2].includes(ran.status), `assay ended with ${ran.status}: ${ran.stderr}`);
  assert.ok(statSync(page).size < 2_000_000);
  return page;
}

const at = (s, t, ops, start) => JSON.stringify({ s, t, status: "ok", ops, ...(start === undefined ? {} : { start, end: start + 10 }) });

// alice and bob both read the counter and both write it; the rest is company.
const lostUpdate = [
  at("setup", 1, [["w", "counter", 7]], 0),
  at("alice", 10, [["r", "other", null]], 20),
  at("alice", 11, [["r", "counter", 7], ["w", "counter", 8]], 40),
  at("bob", 20, [["r", "counter", 7], ["w", "counter", 9]], 45),
  at("bob", 21, [["w", "other", 1]], 60),
];

// Keys and names that would like to be markup.
const evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
const hostile = [
  at(evil, 1, [["r", evil, null], ["w", evil, `"'&<!--${evil}`]]),
  at("b\u0000\u001b[31m\u2028", 2, [["r", evil, null], ["w", evil, "\ud83d\ude00"]]),
];

const serial = [
  at("a", 1, [["w", "x", 1]], 0),
  at("b", 2, [["r", "x", null]], 100),  // by the clock after the write, yet it saw nothing: allowed without real time
  at("a", 3, [["r", "x", 1]], 200),
];

// Two writes that two readers saw in opposite orders; two more only wrote what was there before.
const longFork = [
  at("w0", 1, [["w", "x", 0], ["w", "y", 0]]),
  at("w7", 7, [["w", "y", 5]]),
  at("w1", 2, [["r", "x", 0], ["w", "x", 1]]),
  at("w2", 3, [["r", "y", 5], ["w", "y", 2]]),
  at("r1", 4, [["r", "x", 1], ["r", "y", 5]]),
  at("r2", 5, [["r", "x", 0], ["r", "y", 2]]),
];

const longValue = "a value of fifty characters that must not be lost!";
const longKey = "warehouse/17/shelf/23/article/number/4711";
const longTexts = [
  at("setup", 1, [["w", longKey, longValue]]),
  at("alice", 11, [["r", longKey, longValue], ["w", longKey, 8]]),
  at("bob", 20, [["r", longKey, longValue], ["w", longKey, 9]]),
];

// Every read is of what somebody wrote who aborted.
const aborted = (n) => JSON.stringify({ s: "bad", t: 1000 + n, status: "fail", ops: [["w", `k${n % 5}`, n]], start: 20 * n, end: 20 * n + 5 });
const manyBadReads = Array.from({ length: 200 }, (_, n) => [aborted(n), at(`reader ${n % 3}`, n, [["r", `k${n % 5}`, n]], 20 * n + 2)]).flat();

// Which of two equal writes c read is open; either way c would have to come before whom it read.
const openRead = [
  at("a", 1, [["r", "z", 1], ["w", "x", 1]]),
  at("b", 2, [["r", "z", 1], ["w", "x", 1]]),
  at("c", 3, [["r", "x", 1], ["w", "z", 1]]),
];

const tests = {
  async "a lost update is told, drawn, and answers to mouse and keys"(context) {
    const { page, complaints } = await open(context, report("lost-update", lostUpdate, "--level", "si"));
    assert.equal(await page.locator("h1").textContent(), "Snapshot-isolation is violated: lost update");
    const boxes = await page.locator(".box.cyclic .tname").allTextContents();
    assert.deepEqual(boxes.sort(), ["transaction 11", "transaction 20"]);
    const lead = (await page.locator(".lead").allTextContents()).join(" ");
    assert.match(lead, /both read 7 of key counter/);
    assert.match(lead, /counter/);

    const edge = page.locator(".edge.in-cycle").first();
    const reason = await edge.getAttribute("aria-label");
    await edge.locator(".num").click();
    assert.equal(await edge.getAttribute("aria-pressed"), "true");
    const told = await page.locator(".told").first().textContent();
    assert.ok(reason.includes(told.split("): ")[1].split(".")[0]), `${told} is not the reason ${reason}`);
    const step = await edge.getAttribute("data-step");
    assert.equal(await page.locator(`.step[data-step="${step}"]`).getAttribute("aria-pressed"), "true");
    assert.ok((await page.locator(".oplight.lit").count()) > 0, "the operations behind the step are marked");
    await page.screenshot({ path: join(folder, "lost-update.png"), fullPage: true });
    await page.keyboard.press("Escape");

    await page.locator(".step").first().focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.step), "2");
    assert.equal(await page.locator('.step[data-step="2"]').getAttribute("aria-pressed"), "true");

    const bar = page.locator(".bar.involved").first();
    const id = await bar.getAttribute("data-transaction");
    await bar.focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.card), id);
    assert.ok((await page.locator(".bar:not(.involved)").count()) > 0, "neighbours are shown for context");
    assert.deepEqual(complaints, []);
  },

  async "the picture stands above the fold, the steps beside it, and arrows at the operations that prove them"(context) {
    const { page, complaints } = await open(context, report("fork", longFork, "--level", "si"), { width: 1400 });
    assert.equal(await page.locator("h1").textContent(), "Snapshot-isolation is violated: long fork");
    const drawing = await page.locator(".drawing").first().boundingBox();
    assert.ok(drawing.y + drawing.height < 900, "a long fork of six transactions is seen without scrolling");
    assert.equal(await page.locator(".drawing.wide").count(), 0, "and without scrolling sideways");
    assert.deepEqual((await page.locator(".box .letter").allTextContents()).sort(), ["T2", "T3", "T4", "T5"]);
    const writers = (await page.locator(".writer-tag .tagtext").allTextContents()).sort();
    assert.deepEqual(writers, ["← T1", "← T1", "← T7", "← T7"], "mere writers are tags at what was read from them");

    // Equal versions have equal colours: x=0 is seen twice, and so on; each colour stands for one value of one key.
    const colours = await page.evaluate(() => [...document.querySelectorAll(".version")].map((v) => v.getAttribute("class")));
    assert.equal(colours.length, 8);
    assert.equal(new Set(colours).size, 4);

    // The arrow of "T4 read y before T3 overwrote it" begins beside T4's read of y.
    const label = page.locator(".edge.rw.in-cycle").first();
    const step = await label.getAttribute("data-step");
    const ends = await page.evaluate((n) => {
      const line = document.querySelector(`.wire[data-of="${n}"] .line`);
      const [from, to] = [0, line.getTotalLength()].map((at) => line.getPointAtLength(at));
      const lines = [...document.querySelectorAll(".box")].flatMap((box) => {
        const [, x, y] = /translate\(([\d.]+) ([\d.]+)\)/.exec(box.getAttribute("transform")).map(Number);
        return [...box.querySelectorAll(".oplight")].map((light, i) => ({
          text: box.querySelectorAll("text.op:not(.value)")[i].firstChild.textContent,
          letter: box.querySelector(".letter").textContent,
          top: y + Number(light.getAttribute("y")), height: Number(light.getAttribute("height")), x,
          width: Number(box.querySelector(".body").getAttribute("width")),
        }));
      });
      const at = (p) => lines.filter((l) => p.y >= l.top && p.y <= l.top + l.height && (Math.abs(p.x - l.x) < 2 || Math.abs(p.x - l.x - l.width) < 2))
        .map((l) => `${l.letter} ${l.text}`);
      return [at(from), at(to)];
    }, step);
    assert.deepEqual(ends, [["T4 read y = "], ["T3 write y = "]]);
    await page.screenshot({ path: join(folder, "fork.png") });

    const lost = await open(context, join(folder, "lost-update.html"), { width: 1400 });
    const board = await lost.page.locator(".board").boundingBox();
    const proof = await lost.page.locator(".proof").boundingBox();
    assert.ok(proof.x >= board.x + board.width && Math.abs(proof.y - board.y) < 40, "steps stand beside the drawing");
    assert.deepEqual(complaints.concat(lost.complaints), []);
  },

  async "a step has an address, and its page opens there"(context) {
    const { page, complaints } = await open(context, `${join(folder, "lost-update.html")}#step-1`);
    assert.equal(await page.locator('.step[data-step="1"]').getAttribute("aria-pressed"), "true");
    await page.locator("#step-2").hover();
    await page.locator("#step-2 .anchor").click();
    assert.equal(await page.locator('.step[data-step="2"]').getAttribute("aria-pressed"), "true");
    assert.match(page.url(), /#step-2$/);
    assert.deepEqual(complaints, []);
  },

  async "it can be passed on: as text, as Markdown, as a history, as pictures, as a command"(context) {
    const { page, complaints } = await open(context, join(folder, "lost-update.html"));
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async (name) => {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("button", { name: /^Copied$/ }).waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole("button", { name, exact: true }).waitFor();
      return text;
    };
    const text = await copied("Copy as text");
    assert.match(text, /^Snapshot-isolation is violated: lost update\n/);
    assert.match(text, /both read 7 of key counter/);
    assert.match(text, /= transaction 11 of session alice: read counter = 7, write counter = 8/);
    assert.match(text, /assay check .*lost-update\.jsonl/);
    const markdown = await copied("Copy as Markdown");
    assert.match(markdown, /^### Snapshot-isolation is violated: lost update\n/);
    assert.match(markdown, /\n {4}T11 = transaction 11/);

    const saved = async (name) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).first().click()]);
      const path = join(folder, `saved-${download.suggestedFilename()}`);
      await download.saveAs(path);
      return path;
    };
    const small = await saved("Download the small history");
    assert.equal(spawnSync(assay, ["check", small, "--level", "si", "--quiet"]).status, 1, "it violates by itself");
    const drawing = readFileSync(await saved("Save as SVG"), "utf8");
    assert.match(drawing, /^<svg/);
    assert.match(drawing, /stroke: rgb/);
    const alone = await open(context, join(folder, "saved-drawing.svg"));
    assert.ok((await alone.page.locator("text=transaction 11").count()) > 0);
    const png = readFileSync(await saved("Save as PNG"));
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.ok(png.length > 5000);
    await page.getByRole("button", { name: "Copy the command that gives this again" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^assay check \S+lost-update\.jsonl --report /);
    assert.deepEqual(complaints.concat(alone.complaints), []);
  },

  async "the theme follows the system and the button"(context) {
    const { page, complaints } = await open(context, join(folder, "lost-update.html"), { dark: true });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.screenshot({ path: join(folder, "lost-update-dark.png"), fullPage: true });
    await page.locator("#theme").click();
    assert.notEqual(await background(), dark);
    assert.equal(await page.locator("#theme").getAttribute("aria-pressed"), "false");
    assert.deepEqual(complaints, []);
  },

  async "a phone shows it without scrolling sideways"(context) {
    const { page, complaints } = await open(context, join(folder, "lost-update.html"), { width: 390, height: 844 });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    const boxes = await page.locator(".box .body").evaluateAll((all) => all.map((b) => b.getBoundingClientRect().x));
    assert.equal(new Set(boxes).size, 1, "sessions stand one below the other");
    assert.equal(await page.locator(".drawing.wide").count(), 0);
    await page.screenshot({ path: join(folder, "lost-update-phone.png"), fullPage: true });
    const long = await open(context, report("long", longTexts, "--level", "si"), { width: 390, height: 844 });
    const values = (await long.page.locator(".box .op.value").allTextContents()).join("");
    assert.ok(values.includes(longValue), "values are never cut");
    assert.match((await long.page.locator(".box .op").allTextContents()).join("\n"), /read ware.*….*4711/, "keys lose their middle");
    await long.page.screenshot({ path: join(folder, "long-phone.png"), fullPage: true });
    assert.deepEqual(complaints.concat(long.complaints), []);
  },

  async "texts of the input stay texts"(context) {
    const { page, complaints } = await open(context, report("hostile", hostile));
    assert.equal(await page.locator("h1").textContent(), "Serializable is violated: lost update");
    assert.equal(await page.locator("script").count(), 2);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.locator(".lane-name").first().textContent()).includes("session"));
    assert.ok((await page.locator("td.mono").allTextContents()).some((text) => text.includes("</script><script>")));
    assert.deepEqual(complaints, []);
  },

  async "an impossible read is shown where it stands"(context) {
    const { page, complaints } = await open(context, report("thin-air", [at("a", 1, [["w", "x", 1], ["r", "y", 5]])]));
    assert.match(await page.locator(".readlist").textContent(), /thin-air-read.*nobody ever wrote that/);
    assert.match(await page.locator("tr.key").textContent(), /read\s*y\s*5/);
    assert.deepEqual(complaints, []);
  },

  async "what is open is told case by case"(context) {
    const { page, complaints } = await open(context, report("cases", openRead));
    assert.match(await page.locator(".words").textContent(), /Either T3 read key x from T1, or T3 read key x from T2/);
    const cases = page.getByRole("tab");
    assert.equal(await cases.count(), 2);
    const shown = async () => (await page.locator(".box .letter").allTextContents()).filter((name) => name !== "").sort();
    assert.deepEqual(await shown(), ["T1", "T3"]);
    await cases.nth(1).click();
    assert.deepEqual(await shown(), ["T2", "T3"]);
    await page.screenshot({ path: join(folder, "cases.png"), fullPage: true });
    assert.deepEqual(complaints, []);
  },

  async "what holds shows its numbers and where it departs from the clock"(context) {
    const { page, complaints } = await open(context, report("holds", serial));
    assert.equal(await page.locator("h1").textContent(), "Serializable holds");
    assert.match(await page.locator("#order").textContent(), /1 of 3 transactions/);
    assert.match(await page.locator("#order tbody").textContent(), /transaction 2 of session b.*90 ns/);
    assert.match(await page.locator("#numbers").textContent(), /Hot keys/);
    await page.screenshot({ path: join(folder, "holds.png"), fullPage: true });
    assert.deepEqual(complaints, []);
  },

  async "little evidence is said to be little"(context) {
    const { page } = await open(context, join(folder, "holds.html"));
    assert.match(await page.locator(".belief .little").first().textContent(), /Only 3 transactions committed: that is little evidence/);
    const much = await open(context, report("much", Array.from({ length: 1200 }, (_, n) => at(`s${n % 2}`, n, [["w", "x", n]], 6 * n))));
    const good = (await much.page.locator(".belief .good").allTextContents()).join(" ");
    assert.match(good, /1,200 transactions committed in 2 sessions/);
    assert.match(good, /1,199 of 1,200 began while a conflicting one was running/);
    assert.equal(await much.page.locator(".belief .little").count(), 0);
    await much.page.screenshot({ path: join(folder, "much.png"), fullPage: true });
    assert.deepEqual(much.complaints, []);
  },

  async "many impossible reads are counted by kind, key, session and over time, with three examples"(context) {
    const { page, complaints } = await open(context, report("many", manyBadReads, "--level", "read-committed"));
    assert.equal(await page.locator(".readlist").first().locator("li").count(), 3);
    const story = await page.locator(".story").textContent();
    assert.match(story, /200 reads that no order of the transactions explains/);
    assert.match(story, /aborted-read200 · 100 %/);
    assert.match(story, /k040 · 20 %/);
    assert.match(story, /"reader 0"67 · 34 %/);
    assert.match(story, /Over time/);
    assert.ok((await page.locator(".wire.implied").count()) >= 3, "who read from whom is drawn");
    await page.screenshot({ path: join(folder, "many.png"), fullPage: true });
    assert.deepEqual(complaints, []);
  },

  async "a run tells what was run, and how to run it again"(context) {
    const page = join(folder, "run.html");
    const ran = spawnSync(assay, ["run", "memory:serializable?fault=lost-update", "--workload", "bank", "--transactions", "2000",
      "--sessions", "4", "--report", page, "--output", join(folder, "run.assay"), "--quiet"]);
    assert.equal(ran.status, 1);
    const opened = await open(context, page);
    assert.match(await opened.page.locator("h1").textContent(), /^Assay's memory store .*, serializable: /);
    assert.match(await opened.page.locator(".chips").textContent(), /workload bank.*sessions 4.*seed 1.*faults none/);
    assert.match(await opened.page.locator(".command code").textContent(), /^assay run 'memory:serializable\?fault=lost-update' --workload bank/);
    assert.match(await opened.page.locator("#numbers").textContent(), /Commits over time.*Latency over time/);
    assert.deepEqual(opened.complaints, []);
  },

  async "faults lie as shades over throughput and latency"(context) {
    const page = join(folder, "faults.html");
    const ran = spawnSync(assay, ["run", "memory:serializable", "--nemesis", "clock", "--workload", "bank", "--duration", "3",
      "--rate", "300", "--report", page, "--output", join(folder, "faults.assay"), "--quiet"]);
    assert.ok([0, 2].includes(ran.status), `assay ended with ${ran.status}`);
    const opened = await open(context, page);
    const shades = await opened.page.locator(".shade title").allTextContents();
    assert.ok(shades.length >= 2 && shades.length % 2 === 0, "each is in both charts");
    assert.match(shades[0], /s to .* s after the start: the clients' clock was/);
    assert.match(await opened.page.locator("#numbers").textContent(), /Shaded: what befell the server/);
    await opened.page.screenshot({ path: join(folder, "faults.png"), fullPage: true });
    assert.deepEqual(opened.complaints, []);
  },

  async "labels leave the crossing of two arrows free"(context) {
    const skew = [
      at("s", 1, [["w", "x", 1], ["w", "y", 1]]),
      at("a", 2, [["r", "x", 1], ["r", "y", 1], ["w", "x", 2]]),
      at("b", 3, [["r", "x", 1], ["r", "y", 1], ["w", "y", 3]]),
    ];
    const { page, complaints } = await open(context, report("skew", skew), { width: 1000 });
    const covered = await page.evaluate(() => {
      const lines = [...document.querySelectorAll(".wire.in-cycle .line")];
      const points = lines.map((line) =>
        Array.from({ length: 400 }, (_, i) => line.getPointAtLength((line.getTotalLength() * i) / 399)).slice(40, 360));
      const meeting = points[0].filter((p) => points[1].some((q) => Math.hypot(p.x - q.x, p.y - q.y) < 0.8));
      const labels = [...document.querySelectorAll(".edge .tag")].map((tag) => tag.getBBox());
      const inside = (p, b) => p.x > b.x && p.x < b.x + b.width && p.y > b.y && p.y < b.y + b.height;
      return { lines: lines.length, covered: meeting.filter((p) => labels.some((b) => inside(p, b))).length };
    });
    assert.equal(covered.lines, 2);
    assert.equal(covered.covered, 0);
    assert.deepEqual(complaints, []);
  },

  async "a large history makes a small page"(context) {
    const history = join(folder, "large.jsonl");
    execFileSync(assay, ["generate", "-o", history, "--transactions", "20000", "--inject", "lost-update", "--level", "si", "--quiet"]);
    const page = join(folder, "large.html");
    assert.equal(spawnSync(assay, ["check", history, "--all", "--report", page, "--quiet"]).status, 1);
    assert.ok(statSync(page).size < 500_000);
    const opened = await open(context, page);
    assert.match(await opened.page.locator("h1").textContent(), /levels are violated/);
    assert.ok((await opened.page.locator(".edge.in-cycle").count()) >= 2);
    assert.deepEqual(opened.complaints, []);
  },
};

let failed = 0;
await withBrowser(chromium, async (context) => {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(context);
      console.log(`ok    ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAIL  ${name}\n${error.stack}`);
    }
  }
});
process.exit(failed === 0 ? 0 : 1);
