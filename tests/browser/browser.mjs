// A Chromium of the system, headless and offline, with a profile of its own that vanishes.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export async function withBrowser(executable, work) {
  const profile = await mkdtemp(join(tmpdir(), "assay-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executable,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
    viewport: { width: 1200, height: 900 },
  });
  try {
    await work(context);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}

// Opens a report and keeps what went wrong in it: errors of the page, complaints on the console, requests to anywhere.
export async function open(context, file, { width = 1200, height = 900, dark = false } = {}) {
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  await page.goto(`file://${file}`);
  return { page, complaints };
}
