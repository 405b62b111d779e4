// node build.mjs OUT [MODULES]: bundles the page and writes OUT/page.html (for people) and OUT/page.cpp (for the program).
import { readFile, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? "build");
const modules = resolve(process.argv[3] ?? join(here, "node_modules"));
const require = createRequire(join(modules, "x.js"));
const esbuild = await import(pathToFileURL(require.resolve("esbuild")));

const result = await esbuild.build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  outdir: "/out",
  write: false,
  nodePaths: [modules],
  logLevel: "warning",
});
const text = (ending) => result.outputFiles.filter((file) => file.path.endsWith(ending)).map((file) => file.text).join("");
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const licences = "three.js and uPlot, MIT licence: github.com/mrdoob/three.js, github.com/leeoniya/uPlot";
const page = (await readFile(join(here, "index.html"), "utf8"))
  .replace("<!--rigor-style-->", () => text(".css"))
  .replace("<!--rigor-script-->", () => `/* ${licences} */\n${script}`);

// A compiler takes string literals of some 64 kB, which it joins.
const pieces = [];
for (let i = 0; i < page.length; i += 12000) pieces.push(JSON.stringify(page.slice(i, i + 12000)).replaceAll("?", "\\?"));
const cpp = `#include "tools/rigor/page.hpp"

namespace rigor {

std::string_view page_template() {
  static constexpr char kPage[] =
      ${pieces.join("\n      ")};
  return {kPage, sizeof kPage - 1};
}

}  // namespace rigor
`;
await mkdir(out, { recursive: true });
await writeFile(join(out, "page.html"), page);
await writeFile(join(out, "page.cpp"), cpp);
console.log(`page.html: ${Math.round(page.length / 1024)} kB`);
