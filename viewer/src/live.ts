// A run that is still going on: frames come by a websocket, and the clock stays at their end until one looks back.

import { App, find } from "./app";
import { Run, type SceneData } from "./data";

interface Greeting {
  control: boolean;
  scene: SceneData;
}

const decoder = new TextDecoder();

// u32 length of the description, the description, at a multiple of 8 the arrays.
function append(run: Run, message: ArrayBuffer): void {
  const size = new DataView(message).getUint32(0, true);
  const arrays = JSON.parse(decoder.decode(new Uint8Array(message, 4, size)));
  run.append(arrays, message.slice(Math.ceil((4 + size) / 8) * 8));
}

function button(text: string, title: string, action: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.textContent = text;
  element.title = title;
  element.onclick = action;
  find("clock").before(element);
  return element;
}

/** Connects, and calls `start` when there is something to see. */
export function connectLive(start: (run: Run) => App): void {
  const socket = new WebSocket(`ws://${location.host}/live`);
  socket.binaryType = "arraybuffer";
  const message = find("message");
  let run: Run | null = null;
  let app: App | null = null;
  let edge: HTMLButtonElement | null = null;
  let isAtEdge = true;
  let shownFrames = 0;

  const begin = (greeting: Greeting) => {
    run = new Run(greeting.scene);
    edge = button("Live", "Stay at the newest frame", () => (isAtEdge = !isAtEdge));
    if (!greeting.control) return;
    let isPaused = false;
    const pause = button("Hold", "Pause or go on with the run itself", () => {
      isPaused = !isPaused;
      socket.send(isPaused ? "pause" : "play");
      pause.setAttribute("aria-pressed", String(isPaused));
    });
    button("Step", "One step of the run itself", () => {
      isPaused = true;
      pause.setAttribute("aria-pressed", "true");
      socket.send("step");
    });
    button("Reset", "Begin the run anew", () => socket.send("reset"));
  };

  socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
    if (typeof event.data === "string") {
      const text = JSON.parse(event.data);
      if (text.scene) begin(text as Greeting);
      if (text.reset) {
        run?.clear();
        shownFrames = 0;
        isAtEdge = true;
      }
      return;
    }
    append(run!, event.data);
    if (app || run!.frames < 2) return;
    app = start(run!);
    // who scrubs looks back
    find("time").addEventListener("input", () => (isAtEdge = false));
  };
  socket.onclose = () => (message.textContent = app ? "" : "The run has ended.");

  // the picture at the display's rate, the plots now and then
  const follow = () => {
    requestAnimationFrame(follow);
    if (!app || !run || run.frames === 0 || run.frames === shownFrames) return;
    shownFrames = run.frames;
    edge?.setAttribute("aria-pressed", String(isAtEdge));
    if (isAtEdge && !app.player.isPlaying) app.player.seek(run.end);
    else app.invalidate();
  };
  requestAnimationFrame(follow);
  let plotted = 0;
  setInterval(() => {
    if (!app || !run || run.frames === plotted) return;
    plotted = run.frames;
    app.refit();
    app.showBadges();
    app.showPlots();
  }, 700);
}
