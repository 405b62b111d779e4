// What the analysis of the scene's beginning says: a box on the stage, and a mark for yes or no.

import { find } from "./app";
import type { Run } from "./data";

export interface Verdict {
  holds: boolean | null;
  title: string;
  rows: [string, string][];
  without_run?: boolean; // the page shows an analysis alone: what tells how a run went would be empty
}

export function showVerdict(runs: Run[]): void {
  const verdict = runs[0].scene.verdict;
  const box = find("verdict");
  box.hidden = !verdict;
  document.body.classList.toggle("without-run", verdict?.without_run ?? false);
  if (!verdict) return;
  box.className = `verdict ${verdict.holds === null ? "" : verdict.holds ? "good" : "bad"}`;
  const title = Object.assign(document.createElement("h2"), { textContent: verdict.title });
  const list = document.createElement("dl");
  for (const [name, value] of verdict.rows)
    list.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }));
  box.replaceChildren(title, list);
}
