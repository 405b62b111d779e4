// What the tests of pages share: a browser or status 77, and expectations that are counted.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

export let failures = 0;
export function expect(condition, what) {
  if (condition) return;
  failures++;
  console.error(`FAILED: ${what}`);
}

// A function that starts the browser. Ends the test as skipped where there is none, or no playwright-core among the modules.
export function findBrowser(modules) {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));
  if (!executablePath || !existsSync(join(modules, "playwright-core"))) {
    console.log(`skipped: ${executablePath ? "playwright-core is not installed" : "there is no chromium here"}`);
    process.exit(77);
  }
  const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run"];
  return () => chromium.launch({ executablePath, args });
}
