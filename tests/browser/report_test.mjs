// Opens reports in a real browser: they show the right transactions, answer to clicks and keys, complain of
// nothing and fetch nothing. Usage: node report_test.mjs ASSAY CHROMIUM FOLDER
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
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
    await page.screenshot({ path: join(folder, "lost-update-phone.png"), fullPage: true });
    assert.deepEqual(complaints, []);
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
    assert.match((await page.locator(".lead").allTextContents()).join(" "), /Either T3 read key x from T1, or T3 read key x from T2/);
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
