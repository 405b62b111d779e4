// Buttons, keys, the search, and the address: everything by which a person moves the page.

import { App, find } from "./app";
import { speeds } from "./player";
import { modeColors } from "./theme";
import { modes } from "./data";

const keys: [string, string][] = [
  ["space", "play, pause"],
  ["← →", "one frame; with shift ten"],
  ["home end", "beginning, end"],
  ["+ −", "speed"],
  ["c v k", "contact points, forces, cones"],
  ["x", "see through the bodies"],
  ["f", "follow the chosen body"],
  ["r", "first view again"],
  ["d", "dark, light"],
  ["p", "picture"],
  ["/", "find a body"],
  ["esc", "choose nothing"],
];

function download(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

export function connectControls(app: App): void {
  const slider = find<HTMLInputElement>("time");
  const speed = find<HTMLSelectElement>("speed");
  speed.replaceChildren(...speeds.map((value) => new Option(`${value}×`, String(value))));

  const toggles: [keyof App["options"], string, string][] = [
    ["points", "Contacts", "c"],
    ["forces", "Forces", "v"],
    ["cones", "Cones", "k"],
  ];
  const layers = find("layers");
  const buttons = toggles.map(([option, name, key]) => {
    const button = document.createElement("button");
    button.textContent = name;
    button.title = `${name} (${key})`;
    button.onclick = () => {
      app.options[option] = !app.options[option];
      app.invalidate();
    };
    layers.append(button);
    return button;
  });
  const glass = document.createElement("button");
  glass.textContent = "See through";
  glass.title = "See through the bodies (x)";
  glass.onclick = () => app.setTransparent(!app.isTransparent);
  layers.append(glass);

  if (app.mostContacts() === 0) find("legend").hidden = layers.hidden = true;
  find("legend").innerHTML = modes.map((mode, m) => `<span style="--mode:${modeColors[m]}">${mode}</span>`).reverse().join("");
  find("keys").innerHTML = `<dl>${keys.map(([key, does]) => `<dt>${key}</dt><dd>${does}</dd>`).join("")}</dl>`;
  find("names").replaceChildren(...app.runs[0].scene.bodies.slice(1, 3000).map((body) => new Option(body.name)));

  const search = () => {
    const text = find<HTMLInputElement>("search").value.trim().toLowerCase();
    if (!text) return;
    const bodies = app.runs[0].scene.bodies;
    let body = bodies.findIndex((one, b) => b > 0 && one.name.toLowerCase() === text);
    if (body < 0) body = bodies.findIndex((one, b) => b > 0 && one.name.toLowerCase().includes(text));
    find("search").setAttribute("aria-invalid", String(body < 0)); // there is none of that name
    if (body > 0) app.select({ run: 0, body });
  };
  const picture = () => download(app.picture(), `${app.runs[0].scene.name || "rigor"}-${app.player.time.toFixed(3)}.png`);
  const help = () => (find("keys").hidden = !find("keys").hidden);
  find("play").onclick = () => app.player.toggle();
  find("back").onclick = () => app.step(-1);
  find("forward").onclick = () => app.step(1);
  find("view").onclick = () => app.resetView();
  find("follow").onclick = () => app.follow();
  find("theme").onclick = () => app.switchTheme();
  find("picture").onclick = picture;
  find("help").onclick = help;
  find("unselect").onclick = () => app.select(null);
  find("search").onchange = search;
  slider.oninput = () => {
    app.player.pause();
    app.player.seek(app.runs[0].time(Number(slider.value)));
  };
  speed.onchange = () => {
    app.player.speed = Number(speed.value);
  };

  // a click chooses, a drag turns
  const canvas = find<HTMLCanvasElement>("canvas");
  let down: [number, number] | null = null;
  canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
  canvas.addEventListener("pointerup", (event) => {
    if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
    const box = canvas.getBoundingClientRect();
    app.select(app.pick(event.clientX - box.left, event.clientY - box.top));
  });

  const actions: Record<string, (event: KeyboardEvent) => void> = {
    " ": () => app.player.toggle(),
    ArrowLeft: (event) => app.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => app.step(event.shiftKey ? 10 : 1),
    Home: () => app.player.seek(0),
    End: () => app.player.seek(app.end),
    "+": () => app.player.changeSpeed(1),
    "=": () => app.player.changeSpeed(1),
    "-": () => app.player.changeSpeed(-1),
    c: () => buttons[0].click(),
    v: () => buttons[1].click(),
    k: () => buttons[2].click(),
    x: () => glass.click(),
    f: () => app.follow(),
    r: () => app.resetView(),
    d: () => app.switchTheme(),
    p: picture,
    "?": help,
    "/": () => find("search").focus(),
    Escape: () => app.select(null),
  };
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (target.id === "search" || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });

  let address = "";
  app.onChange(() => {
    const run = app.runs[0];
    slider.max = String(run.frames - 1);
    slider.value = String(app.stages[0].frame);
    find("clock").textContent = `${app.player.time.toFixed(3)} / ${app.end.toFixed(3)} s`;
    find("play-icon").setAttribute("d", app.player.isPlaying ? "M3 2h3v10H3zM8 2h3v10H8z" : "M3 1.5v11L12.5 7z");
    find("play").setAttribute("aria-pressed", String(app.player.isPlaying));
    find("follow").setAttribute("aria-pressed", String(app.isFollowing));
    speed.value = String(app.player.speed);
    toggles.forEach(([option], i) => buttons[i].setAttribute("aria-pressed", String(app.options[option])));
    glass.setAttribute("aria-pressed", String(app.isTransparent));
    if (app.player.isPlaying) return;
    const now = `#t=${Number(app.player.time.toFixed(6))}${bodyPart(app)}`;
    if (now === address || address === "") {
      address = now; // the first one is as the page was opened
      return;
    }
    address = now;
    try {
      history.replaceState(null, "", now);
    } catch {
      // a page inside another one may not have an address
    }
  });
}

function bodyPart(app: App): string {
  const chosen = app.selection;
  return chosen && "body" in chosen ? `&body=${encodeURIComponent(app.runs[chosen.run].scene.bodies[chosen.body].name)}` : "";
}

/** #t=1.25&body=crate&play=1 … as the page was opened, or as a link on it asks. */
export function obeyAddress(app: App): void {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("t")) app.seekFrame(Number(asked.get("t")) || 0);
  if (asked.get("layers") !== null) {
    const layers = asked.get("layers")!.split(",");
    for (const option of ["points", "forces", "cones"] as const) app.options[option] = layers.includes(option);
    app.setTransparent(layers.includes("glass"));
  }
  if (document.documentElement.classList.toggle("bare", asked.get("bare") === "1")) {
    app.resize();
    app.resetView();
  }
  const name = asked.get("body");
  const body = name ? app.runs[0].scene.bodies.findIndex((one) => one.name === name) : -1;
  if (body > 0) app.select({ run: 0, body });
  if (asked.get("play") === "1" && !app.player.isPlaying) app.player.toggle();
}
