// Where the page begins.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import * as THREE from "three";
import { App, find } from "./app";
import { connectControls, obeyAddress } from "./controls";
import { readRuns, type Run } from "./data";
import { connectLive } from "./live";
import { showVerdict } from "./verdict";

function describe(runs: Run[]): void {
  const scene = runs[0].scene;
  document.title = `${scene.name || "A run"} – Rigor`;
  find("title").textContent = scene.name || "A run";
  find("about").textContent = scene.description;
  find("about").title = scene.description;
  showVerdict(runs);
  find("notes").textContent = runs.flatMap((run) => run.scene.notes ?? []).join(" ");
}

// For scripts and tests: the page's own numbers.
function expose(app: App): void {
  const at = (point: number[]) => new THREE.Vector3(...(point as [number, number, number]));
  const bodyIndex = (name: string, run = 0) => app.runs[run].scene.bodies.findIndex((body) => body.name === name);
  Object.assign(window, {
    rigor: {
      isReady: true,
      get time() {
        return app.player.time;
      },
      get end() {
        return app.end;
      },
      get frames() {
        return app.runs.map((run) => run.frames);
      },
      get drawn() {
        return app.drawn;
      },
      get drawSeconds() {
        return app.drawSeconds;
      },
      get frame() {
        return app.stages[0].frame;
      },
      get isPlaying() {
        return app.player.isPlaying;
      },
      get selection() {
        return app.selection;
      },
      get bodies() {
        return app.runs[0].scene.bodies.map((body) => body.name);
      },
      get plots() {
        return app.plots.ids;
      },
      seek(time: number) {
        app.player.pause();
        app.seekFrame(time);
        app.draw();
      },
      bodyPosition: (name: string, run = 0) => app.stages[run].bodies.position(bodyIndex(name, run)).toArray(),
      bodyOnStage: (name: string, run = 0) => app.project(run, app.stages[run].bodies.position(bodyIndex(name, run))),
      contacts: (run = 0) => app.stages[run].contacts.shown.map((contact) => ({ ...contact, onStage: app.project(run, at(contact.point)) })),
      plotTime: (index = 0) => app.plots.cursorTime(index),
      picture: () => app.picture(),
    },
  });
}

// #video=30,0,99,640,360: pictures 0 to 99 at 30 a second, of that size, as text that the program reads back.
function makePictures(app: App): boolean {
  const asked = new URLSearchParams(location.hash.slice(1)).get("video");
  if (!asked) return false;
  const [rate, first, last, width, height] = asked.split(",").map(Number);
  Object.assign(find("stage").style, { position: "fixed", left: "0", top: "0", width: `${width}px`, height: `${height}px` });
  app.resize();
  app.resetView();
  const list = document.createElement("pre");
  list.id = "pictures";
  for (let i = first; i <= last; i++) {
    app.player.seek(i / rate);
    list.append(app.picture(), "\n");
  }
  document.body.replaceChildren(list);
  return true;
}

function show(runs: Run[]): App {
  describe(runs);
  const app = new App(runs);
  connectControls(app);
  app.showBadges();
  obeyAddress(app);
  addEventListener("hashchange", () => obeyAddress(app));
  app.draw();
  performance.mark("rigor-drawn");
  find("message").textContent = "";
  if (!makePictures(app)) expose(app);
  return app;
}

async function begin(): Promise<void> {
  const message = find("message");
  message.textContent = "Loading …";
  performance.mark("rigor-begin");
  const runs = await readRuns();
  performance.mark("rigor-decoded");
  if (runs.length > 0 && runs[0].frames > 0) show(runs);
  else if (location.protocol === "http:") connectLive((run) => show([run]));
  else message.textContent = "There is no run in this page.";
}

begin().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  find("message").textContent = /WebGL/i.test(text) ? "This browser has no WebGL, which the picture needs." : `The page cannot be shown: ${text}`;
  console.error(error);
});
