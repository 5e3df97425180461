// Opens reports in a real browser: they show the right transactions, answer to clicks and keys, complain of
// nothing and fetch nothing. Usage: node report_test.mjs ASSAY CHROMIUM FOLDER
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open, withBrowser } from "./browser.mjs";

const [assay, chromium, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const line = (session, txn, ops, start, end) => JSON.stringify({ session, txn, ops, ...(start === undefined ? {} : { start, end }) });

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

