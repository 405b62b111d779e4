// TypeScript's own judgement of the viewer: node types_test.mjs VIEWER MODULES. Status 77: no compiler here.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [viewer, modules] = process.argv.slice(2);
const compiler = join(modules, "typescript", "bin", "tsc");
if (!existsSync(compiler)) {
  console.log("skipped: TypeScript is not installed");
  process.exit(77);
}
// where the packages seem to lie beside the sources
const folder = mkdtempSync(join(tmpdir(), "rigor-types-"));
cpSync(join(viewer, "src"), join(folder, "src"), { recursive: true });
for (const file of ["tsconfig.json", "package.json"]) cpSync(join(viewer, file), join(folder, file));
symlinkSync(modules, join(folder, "node_modules"));
const result = spawnSync(process.execPath, [compiler, "--noEmit", "-p", folder], { stdio: "inherit" });
rmSync(folder, { recursive: true, force: true });
process.exit(result.status ?? 1);
