// The replay page in a real browser: node page_test.mjs RIGOR MODULES. Status 77: no browser or no packages here.
//
// Judged by the program's own tables (rigor export), by the page's own numbers, and by pixels that are not blank.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, failures, findBrowser, near } from "./browser.mjs";
import { lookAt } from "./png.mjs";

const [rigor, modules] = process.argv.slice(2);
const launch = findBrowser(modules);

// A machine that is busy draws slowly: only what never comes is a failure.
async function until(page, condition, argument, what) {
  await page.waitForFunction(condition, argument, { timeout: 40000 }).catch(() => expect(false, what));
}

const folder = mkdtempSync(join(tmpdir(), "rigor-page-"));
const run = (...words) => execFileSync(rigor, words, { cwd: folder, encoding: "utf8" });
try {
  run("run", "peiret-box", "--set", "run.until=0.001", "-o", "none.html");
} catch (error) {
  if (!String(error.stderr).includes("built without the replay page")) throw error;
  console.log(`skipped: ${String(error.stderr).trim()}`);
  rmSync(folder, { recursive: true, force: true });
  process.exit(77);
}
const browser = await launch();

// A page that complains to us of everything it should not do.
async function open(file, size, hash = "") {
  const page = await browser.newPage({ viewport: size });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) expect(false, `${file} asks the network for ${request.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error") expect(false, `${file}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => expect(false, `${file}: ${error.message}`));
  await page.goto(`file://${join(folder, file)}${hash}`);
  await page.waitForFunction("window.rigor?.isReady", null, { timeout: 60000 });
  return page;
}

// The table of a recording: rows of numbers by the names of the columns.
function table(file) {
  const [head, ...lines] = readFileSync(join(folder, file), "utf8").trim().split("\n");
  const names = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((value, i) => [names[i], Number(value)])));
}

async function checkScene(scene, changes) {
  run("run", scene, ...changes.flatMap((change) => ["--set", change]), "-o", `${scene}.rec`);
  run("export", `${scene}.rec`, `${scene}.html`);
  run("export", `${scene}.rec`, `${scene}.csv`);
  const rows = table(`${scene}.csv`);
  const page = await open(`${scene}.html`, { width: 800, height: 500 });
  const frames = await page.evaluate("rigor.frames");
  expect(frames[0] === rows.length, `${scene}: ${frames[0]} frames on the page, ${rows.length} in the table`);
  const names = (await page.evaluate("rigor.bodies")).slice(1);
  for (const row of [rows[0], rows[rows.length >> 1], rows[rows.length - 1]]) {
    await page.evaluate((t) => window.rigor.seek(t), row.time);
    expect(near(await page.evaluate("rigor.time"), row.time, 1e-9), `${scene}: scrubbing to ${row.time} s`);
    for (const name of names.slice(0, 12)) {
      const shown = await page.evaluate((body) => window.rigor.bodyPosition(body), name);
      ["x", "y", "z"].forEach((axis, k) => {
        const recorded = row[`${name}.${axis}`];
        expect(near(shown[k], recorded, 1e-6 * Math.max(1, Math.abs(recorded))), `${scene}: ${name}.${axis} at ${row.time} s is ${shown[k]}, was ${recorded}`);
      });
    }
  }
  const { colors } = lookAt(Buffer.from((await page.evaluate("rigor.picture()")).split(",")[1], "base64"));
  expect(colors > 8, `${scene}: the picture has ${colors} colours`);
  await page.close();
  console.log(`${scene}: ${rows.length} frames, ${names.length} bodies, ${colors} colours`);
}

// What a person does with the box: click a contact, a body, a plot, keys, the slider.
async function useThePage() {
  const page = await open("peiret-box.html", { width: 960, height: 600 }, "#t=0.1");
  expect(near(await page.evaluate("rigor.time"), 0.1, 1e-9), "the link #t=0.1 opens there");

  const contacts = await page.evaluate("rigor.contacts()");
  expect(contacts.length === 4, `${contacts.length} contacts at 0.1 s, must be 4`);
  const loaded = contacts.filter((contact) => contact.mode > 0).sort((a, b) => a.onStage[1] - b.onStage[1]);
  const stage = await page.locator("#stage").boundingBox();
  await page.mouse.click(stage.x + loaded[0].onStage[0], stage.y + loaded[0].onStage[1]);
  await until(page, "rigor.selection !== null", null, "a click chooses something");
  expect((await page.evaluate("rigor.selection")).contact === loaded[0].key, "the click chooses the contact under it");
  const n = loaded[0].normal, f = loaded[0].force;
  const normal = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
  await until(page, (text) => document.getElementById("numbers").innerText.includes(text), normal.toPrecision(4), `the numbers show the force ${normal.toPrecision(4)} N`);
  expect((await page.locator("#numbers").innerText()).includes("sliding"), "the numbers tell the mode");
  expect((await page.evaluate("rigor.plots")).includes("force"), "a chosen contact has its history");
  await page.keyboard.press("Escape");
  expect((await page.evaluate("rigor.selection")) === null, "Escape chooses nothing");

  const cube = await page.evaluate("rigor.bodyOnStage('cube')");
  await page.keyboard.press("c");
  await page.mouse.click(stage.x + cube[0], stage.y + cube[1] - 20);
  await until(page, "rigor.selection?.body === 1", null, "a click chooses the body");
  await until(page, "document.querySelector('#inspector h2')?.innerText === 'cube'", null, "a click on the body shows its numbers");
  await page.fill("#search", "cub");
  await page.keyboard.press("Enter");
  expect((await page.evaluate("rigor.selection.body")) === 1, "the search finds it by a part of its name");
  await page.fill("#search", "nobody");
  await page.keyboard.press("Enter");
  expect((await page.getAttribute("#search", "aria-invalid")) === "true", "a name that nobody has is marked");
  expect((await page.evaluate("rigor.plots")).includes("ledger"), "the energy ledger is plotted");

  // following keeps the body where it was on the screen
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("f");
  await page.evaluate("rigor.seek(0.1)");
  const [here, there] = [await page.evaluate("rigor.bodyOnStage('cube')"), await page.evaluate("rigor.seek(0.25), rigor.bodyOnStage('cube')")];
  expect(Math.hypot(here[0] - there[0], here[1] - there[1]) < 2, `a body that is followed stays where it was on the screen: ${here} ${there}`);
  await page.keyboard.press("f");
  await page.keyboard.press("r");

  // dark and light
  const theme = await page.evaluate("document.documentElement.dataset.theme");
  await page.keyboard.press("d");
  expect((await page.evaluate("document.documentElement.dataset.theme")) !== theme, "d turns light to dark");

  // the cursors of the plots follow the slider, the keys and clicks
  await page.evaluate("document.activeElement.blur()");
  for (const time of [0.05, 0.2]) {
    await page.locator("#time").fill(String(Math.round(time * 1000)));
    await until(page, (t) => Math.abs(window.rigor.plotTime() - t) < 1e-6, time, `the plot's cursor follows the slider to ${time} s`);
  }
  await page.locator("#stage").focus();
  await page.keyboard.press("ArrowRight");
  await until(page, "Math.abs(rigor.time - 0.201) < 1e-6", null, "an arrow key goes one frame on");
  const plot = page.locator(".plot .u-over").first();
  const box = await plot.boundingBox();
  await plot.click({ position: { x: box.width / 2, y: box.height / 2 } });
  const end = await page.evaluate("rigor.end");
  await until(page, (t) => Math.abs(window.rigor.time - t) < 0.02, end / 2, "a click on a plot goes there");
  await until(page, () => /#t=0\.1\d*&body=cube/.test(location.hash), null, "the address tells the moment");

  await page.locator("#stage").focus();
  await page.keyboard.press("Space");
  await until(page, "rigor.isPlaying", null, "space plays");
  const before = await page.evaluate("rigor.time");
  await until(page, (t) => window.rigor.time !== t, before, "it plays");
  await page.keyboard.press("Space");
  await until(page, "!rigor.isPlaying", null, "it pauses");
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: 60000 }), page.click("#picture")]);
  expect(download.suggestedFilename().endsWith(".png"), "the button saves a picture");
  await page.close();
}

// Two laws of friction on one clock.
async function compareRuns() {
  for (const law of ["cone", "convex"]) run("run", "peiret-box", "--set", "run.until=0.1", "--set", `run.formulation=${law}`, "-o", `${law}.rec`);
  run("export", "cone.rec", "--beside", "convex.rec", "both.html");
  const page = await open("both.html", { width: 900, height: 500 }, "#t=0.1");
  expect((await page.evaluate("rigor.frames")).length === 2, "both runs are on the page");
  expect((await page.locator("#labels").innerText()).replace(/\s+/g, " ") === "cone convex", "each has its name");
  for (const [i, law] of ["cone", "convex"].entries()) {
    run("export", `${law}.rec`, `${law}.csv`);
    const last = table(`${law}.csv`).at(-1);
    const shown = await page.evaluate((k) => window.rigor.bodyPosition("cube", k), i);
    expect(near(shown[1], last["cube.y"], 1e-6), `${law}: the cube is at ${shown[1]}, was at ${last["cube.y"]}`);
  }
  await page.close();
}

async function useAPhone() {
  const page = await open("peiret-box.html", { width: 390, height: 800 });
  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width <= 390, `the page is ${width} pixels wide on a phone of 390`);
  for (const id of ["canvas", "play", "time", "search"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 391 && box.width >= 30, `#${id} is within reach on a phone: ${JSON.stringify(box)}`);
  }
  const stage = await page.locator("#canvas").boundingBox();
  expect(stage.height > 300, `the picture is ${stage.height} pixels high on a phone`);
  await page.click("#forward");
  await until(page, "rigor.frame === 1", null, "a button goes one frame on, on a phone");
  await page.close();
}

try {
  await checkScene("peiret-box", ["run.until=0.3"]);
  await checkScene("crates", ["run.until=0.1"]);
  await checkScene("demo", ["run.until=0.6"]);
  await checkScene("four-bar", ["run.until=0.5"]);
  await checkScene("anitescu-cannonball", ["parameters.rows=4", "run.until=1"]);
  await checkScene("anitescu-painleve", []);
  await checkScene("simbody-bead", []);
  await checkScene("anitescu-damper", []);
  await useThePage();
  await compareRuns();
  await useAPhone();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? "page: ok" : `page: ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
