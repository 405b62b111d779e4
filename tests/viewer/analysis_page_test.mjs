// The pages of `rigor analyse -o` and `rigor demo pinch` in a real browser: node analysis_page_test.mjs RIGOR MODULES [FOLDER].
// Status 77: no browser or no packages here. With FOLDER, pictures of the pages are left there.
//
// Judged by the program's own JSON and by closed forms.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, failures, findBrowser, near } from "./browser.mjs";

const [rigor, modules, pictures] = process.argv.slice(2);
const launch = findBrowser(modules);


const folder = mkdtempSync(join(tmpdir(), "rigor-analysis-"));
const run = (...words) => execFileSync(rigor, words, { cwd: folder, encoding: "utf8" });
const browser = await launch();

async function open(file, hash = "") {
  const page = await browser.newPage({ viewport: { width: 1000, height: 620 } });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) expect(false, `${file} asks the network for ${request.url()}`);
  });
  page.on("pageerror", (error) => expect(false, `${file}: ${error.message}`));
  await page.goto(`file://${join(folder, file)}${hash}`);
  await page.waitForFunction("window.rigor?.isReady", null, { timeout: 120000 });
  return page;
}
const verdict = (page) => page.evaluate(() => {
  const box = document.getElementById("verdict");
  return { hidden: box.hidden, good: box.classList.contains("good"), bad: box.classList.contains("bad"), text: box.innerText.replace(/\s+/g, " ") };
});
async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, name) });
}

// A hand that holds: forces of 5 N and m g/3 in their cones, nothing moves.
async function checkTheHand() {
  run("analyse", "brogliato-hand", "-o", "hand.html");
  const page = await open("hand.html");
  const box = await verdict(page);
  expect(box.good && box.text.includes("Can stay at rest"), `the hand's box says: ${box.text}`);
  expect(/least friction 0\.1308/.test(box.text) && box.text.includes("margin 3.692 N"), `the hand's numbers: ${box.text}`);
  const contacts = await page.evaluate("rigor.contacts()");
  expect(contacts.length === 3, `${contacts.length} contacts, must be 3`);
  for (const { force, normal } of contacts) {
    const along = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2];
    expect(near(along, 5, 1e-4) && near(Math.abs(force[2]), 0.654, 1e-4), `a fingertip's force is ${force}`);
  }
  expect((await page.evaluate("rigor.frames"))[0] === 1, "a hand that holds has one frame");
  expect(!(await page.locator("#badges").isVisible()) && !(await page.locator("#plots").isVisible()), "an analysis has no certificate of a run");
  await picture(page, "hand.png");
  await page.close();
}

// A ladder that cannot stand: its page moves there and back along the motion that proves it, foot outward and head down.
async function checkTheLadder() {
  const answer = JSON.parse(run("analyse", "ladder", "-o", "ladder.html", "--json"));
  expect(answer.rest.possible === false && answer.rest.proof.checked === true, "the ladder cannot stand, with proof");
  const t = Math.tan((50 * Math.PI) / 180);
  expect(near(answer.rest.mu_min, Math.sqrt(t * t + 1) - t, 1e-6), `the ladder needs mu ${answer.rest.mu_min}`);
  const page = await open("ladder.html");
  const box = await verdict(page);
  expect(box.bad && box.text.includes("Cannot stay at rest") && box.text.includes("(checked)"), `the ladder's box says: ${box.text}`);
  const at = async (time) => {
    await page.evaluate((s) => window.rigor.seek(s), time);
    return page.evaluate("rigor.bodyPosition('ladder')");
  };
  const [begin, middle, end] = [await at(0), await at(1.5), await at(3)];
  expect(middle[2] < begin[2] - 0.01, `the ladder sinks from ${begin[2]} to ${middle[2]}`);
  expect(near(end[2], begin[2], 1e-6) && near(end[0], begin[0], 1e-6), "and comes back");
  await at(1.5);
  await picture(page, "ladder.png");
  await page.close();
}

// The pinched capsule: ten seconds without creeping, on the page beside least friction, margin and certificate.
async function checkThePinch() {
  const answer = JSON.parse(run("demo", "pinch", "--json"));
  expect(answer.certificate.sticking_drift < 1e-12, `the capsule drifts ${answer.certificate.sticking_drift} m`);
  expect(answer.verdict.holds === true, "the capsule can stay at rest");
  const page = await open("rigor-pinch.html", "#t=10");
  const box = await verdict(page);
  expect(box.good && /least friction 0\.04905/.test(box.text) && /margin [\d.]+ N/.test(box.text), `the pinch's box says: ${box.text}`);
  const badges = (await page.locator("#badges").innerText()).replace(/\s+/g, " ");
  expect(/residual/.test(badges) && /drift/.test(badges), `the certificate on the page: ${badges}`);
  const place = await page.evaluate("rigor.bodyPosition('capsule')");
  expect(Math.hypot(...place) < 1e-9, `the capsule is at ${place} after ten seconds`);
  await picture(page, "pinch.png");
  await page.close();
}

// A page without analysis has no box.
async function checkAPlainRun() {
  run("run", "incline", "--set", "run.until=0.01", "-o", "plain.html");
  const page = await open("plain.html");
  expect((await verdict(page)).hidden, "a run without analysis has no box");
  await page.close();
}

try {
  await checkTheHand();
  await checkTheLadder();
  await checkThePinch();
  await checkAPlainRun();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? "analysis page: ok" : `analysis page: ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
