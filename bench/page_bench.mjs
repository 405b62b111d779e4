// How fast the page of a large run opens and plays, in headless Chromium with the software renderer.
//
//   node bench/page_bench.mjs build/release/tools/rigor/rigor build/viewer-modules/node_modules [RECORDING]
//
// Without a recording it makes one of a thousand bodies and a thousand frames (scene `marbles`, minutes), and tells its size.
// Times are wall-clock, in which other programs that run beside it count, and the CPU time of the page's main thread, in which
// they do not. Opening is from the address to the first picture that is drawn and read back.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [rigor, modules, given] = process.argv.slice(2);
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));
if (!rigor || !modules || !browserPath) {
  console.error(browserPath ? "usage: node bench/page_bench.mjs RIGOR MODULES [RECORDING]" : "there is no chromium here");
  process.exit(2);
}
const { chromium } = createRequire(join(resolve(modules), "x.js"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "rigor-bench-"));
const run = (...words) => {
  const begin = performance.now();
  execFileSync(resolve(rigor), words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  return (performance.now() - begin) / 1000;
};
const size = (file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;

const recording = given ? resolve(given) : join(folder, "marbles.rec");
if (!given) console.log(`run of 10 s, 100 frames a second, recorded: ${run("run", "marbles", "--every", "0.01", "-o", recording).toFixed(1)} s`);
const wrote = run("export", recording, "page.html");
console.log(`recording ${size(recording)}, page ${size(join(folder, "page.html"))}, written in ${wrote.toFixed(1)} s`);

// Least of three openings; then 5 s of play: the pictures that were drawn, and the time each took.
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
let best = Infinity, leastCpu = Infinity;
for (let repeat = 0; repeat < 3; repeat++) {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--no-first-run"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(`file://${join(folder, "page.html")}`);
  await page.waitForFunction("window.rigor?.isReady", null, { timeout: 120000 });
  const { metrics } = await session.send("Performance.getMetrics");
  const cpu = metrics.find((metric) => metric.name === "TaskDuration").value;
  const opening = await page.evaluate(() => {
    const begin = performance.now();
    window.rigor.picture(); // waits for the renderer
    const waited = performance.now() - begin;
    const marks = Object.fromEntries(performance.getEntriesByType("mark").map((mark) => [mark.name, mark.startTime]));
    return { parsed: marks["rigor-begin"], decoded: marks["rigor-decoded"], drawn: marks["rigor-drawn"], ready: marks["rigor-drawn"] + waited, bodies: window.rigor.bodies.length - 1, frames: window.rigor.frames[0] };
  });
  console.log(`${opening.bodies} bodies, ${opening.frames} frames: document ${(opening.parsed / 1000).toFixed(2)} s, decoded ${(opening.decoded / 1000).toFixed(2)} s, drawn ${(opening.drawn / 1000).toFixed(2)} s (main thread ${cpu.toFixed(2)} s of CPU), picture read back ${(opening.ready / 1000).toFixed(2)} s`);
  leastCpu = Math.min(leastCpu, cpu);
  best = Math.min(best, opening.ready);
  if (repeat === 2) {
    for (const layers of ["points,forces", ""]) {
      const played = await page.evaluate(async (shown) => {
        location.hash = `t=1&layers=${shown}&play=1`;
        await new Promise((done) => setTimeout(done, 500));
        const begin = performance.now(), first = window.rigor.drawn, spent = [];
        while (performance.now() - begin < 5000) {
          await new Promise((done) => requestAnimationFrame(done));
          spent.push(window.rigor.drawSeconds);
        }
        return { rate: (1000 * (window.rigor.drawn - first)) / (performance.now() - begin), spent };
      }, layers);
      console.log(`plays at ${played.rate.toFixed(1)} pictures a second ${layers ? "with contacts and forces" : "with bodies alone"}; the page's own work for one ${(1000 * median(played.spent)).toFixed(1)} ms (median), the rest is the renderer's`);
    }
  }
  await browser.close();
}
console.log(`opens in ${(best / 1000).toFixed(2)} s, of which the page takes ${leastCpu.toFixed(2)} s of CPU (least of 3)`);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
