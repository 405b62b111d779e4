// The page: stages side by side in one canvas, plots, numbers, controls.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { ContactOptions } from "./contacts";
import type { Run } from "./data";
import { describeBody, describeContact, number, type Selection } from "./inspector";
import { Player } from "./player";
import { bodyPlots, contactPlots, Plots, standardPlots } from "./plots";
import { Stage } from "./stage";
import { initialTheme, keepTheme, themes, type Theme } from "./theme";

export const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export class App {
  readonly stages: Stage[];
  readonly player: Player;
  readonly plots: Plots;
  readonly options: ContactOptions = { points: true, forces: true, cones: true };
  selection: Selection | null = null;
  isFollowing = false;
  isTransparent = false;
  theme: Theme;
  private renderer: THREE.WebGLRenderer;
  private camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
  private controls: OrbitControls;
  private followed: THREE.Vector3 | null = null;
  drawn = 0; // pictures
  drawSeconds = 0; // that the last took of our own time, the renderer's not counted
  private isDirty = true;
  private isViewChosen = false; // by the person, not by us
  private panelFrame = -1;
  private listeners: (() => void)[] = [];

  constructor(readonly runs: Run[]) {
    const canvas = find<HTMLCanvasElement>("canvas");
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.18;
    this.renderer.autoClear = false;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.isViewChosen = true));
    this.player = new Player(() => this.end, () => this.invalidate());
    this.plots = new Plots(find("plots"), (time) => {
      this.player.pause();
      this.seekFrame(time);
    });
    this.stages = runs.map((run) => new Stage(run));
    // more hide the picture; those of a chosen contact are always shown
    this.options.cones = this.mostContacts() <= 24;
    this.options.forces = this.mostContacts() <= 400;
    this.theme = themes[initialTheme()];
    this.setTheme(this.theme);
    this.resetView();
    new ResizeObserver(() => this.resize()).observe(find("stage"));
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Most contacts in a frame. */
  mostContacts(): number {
    const columns = ["open", "sticking", "sliding"].map((mode) => this.runs[0].column(`certificate.${mode}`));
    return columns[0].reduce((most, n, i) => Math.max(most, n + columns[1][i] + columns[2][i]), 0);
  }

  get end(): number {
    return Math.max(0, ...this.runs.map((run) => run.end));
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  invalidate(): void {
    this.isDirty = true;
  }

  /** Goes to the frame of the first run that is nearest to a time. */
  seekFrame(time: number): void {
    const run = this.runs[0];
    const frame = run.frameAt(time);
    const next = Math.min(frame + 1, run.frames - 1);
    this.player.seek(run.time(Math.abs(run.time(next) - time) < Math.abs(run.time(frame) - time) ? next : frame));
  }

  step(by: number): void {
    this.player.pause();
    const run = this.runs[0];
    this.player.seek(run.time(Math.min(Math.max(0, run.frameAt(this.player.time) + by), run.frames - 1)));
  }

  // Columns, or rows on a narrow screen; in pixels of the page, y from the top.
  private viewports(): { x: number; y: number; width: number; height: number }[] {
    const { clientWidth: width, clientHeight: height } = find("stage");
    const n = this.stages.length;
    const inColumns = width / n > 0.45 * height;
    return this.stages.map((_, i) =>
      inColumns ? { x: (i * width) / n, y: 0, width: width / n, height } : { x: 0, y: (i * height) / n, width, height: height / n },
    );
  }

  /** To the size that the stage has now. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = find("stage");
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    const labels = find("labels");
    const views = this.viewports();
    labels.style.flexDirection = views.length > 1 && views[1].x === 0 ? "column" : "row";
    labels.replaceChildren(
      ...(this.runs.length > 1 ? this.runs : []).map((run) => {
        const label = document.createElement("div");
        label.textContent = run.scene.label;
        return label;
      }),
    );
    this.invalidate();
  }

  /** After frames have come in: sizes, and the view unless somebody has chosen one. */
  refit(): void {
    for (const stage of this.stages) {
      stage.refit();
      stage.setTheme(this.theme);
    }
    if (!this.isViewChosen) this.resetView();
  }

  resetView(): void {
    if (this.stages.length === 0) return;
    this.isViewChosen = false;
    const view = this.viewports()[0];
    const largest = this.stages.reduce((a, b) => (b.size > a.size ? b : a));
    const first = largest.firstView(view.width / Math.max(1, view.height), (this.camera.fov * Math.PI) / 180);
    this.camera.position.copy(first.position);
    this.camera.near = 0.01 * largest.size;
    this.camera.far = 200 * largest.size;
    this.controls.target.copy(first.target);
    this.controls.update();
    this.invalidate();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme.name;
    for (const stage of this.stages) stage.setTheme(theme);
    this.showPlots();
    this.invalidate();
  }

  switchTheme(): void {
    this.setTheme(themes[this.theme.name === "dark" ? "light" : "dark"]);
    keepTheme(this.theme.name);
  }

  showPlots(): void {
    if (this.runs.length === 0 || this.runs[0].frames === 0) return;
    const chosen = this.selection;
    const own = !chosen ? [] : "body" in chosen ? bodyPlots(this.runs[chosen.run], chosen.body) : contactPlots(this.runs[chosen.run], chosen.contact);
    this.plots.show([...own, ...standardPlots(this.runs)], this.theme);
    this.panelFrame = -1;
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.stages.forEach((stage, i) => stage.bodies.select(selection && "body" in selection && selection.run === i ? selection.body : -1));
    find("inspector").hidden = selection === null;
    if (!selection) this.isFollowing = false;
    this.followed = null;
    this.showPlots();
    this.invalidate();
    if (selection) document.querySelector("aside")!.scrollTop = 0;
  }

  follow(): void {
    this.isFollowing = !this.isFollowing && this.selection !== null && "body" in this.selection;
    this.followed = null;
    this.invalidate();
  }

  setTransparent(transparent: boolean): void {
    this.isTransparent = transparent;
    for (const stage of this.stages) stage.bodies.setTransparent(transparent);
    this.invalidate();
  }

  /** What is at a point of the stage, in pixels: a contact before a body. */
  pick(x: number, y: number): Selection | null {
    const views = this.viewports();
    const i = views.findIndex((view) => x >= view.x && x < view.x + view.width && y >= view.y && y < view.y + view.height);
    if (i < 0) return null;
    const view = views[i];
    const at = new THREE.Vector2((2 * (x - view.x)) / view.width - 1, 1 - (2 * (y - view.y)) / view.height);
    this.aim(view.width / view.height);
    const contact = this.stages[i].contacts.pick(this.camera, at.x, at.y, view.width / view.height, 24 / view.height);
    if (contact) return { run: i, contact: contact.key };
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const body = this.stages[i].bodies.pick(ray);
    return body > 0 ? { run: i, body } : null;
  }

  /** Where a point of the world is on the stage of a run, in pixels. */
  project(run: number, point: THREE.Vector3): [number, number] {
    const view = this.viewports()[run];
    this.aim(view.width / view.height);
    const p = point.clone().project(this.camera);
    return [view.x + ((p.x + 1) / 2) * view.width, view.y + ((1 - p.y) / 2) * view.height];
  }

  private aim(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    this.player.advance(now);
    if (this.isDirty) this.draw();
  }

  /** Shows the present moment, at once. */
  draw(): void {
    this.isDirty = false;
    if (this.runs.length === 0 || this.runs[0].frames === 0) return;
    const begin = performance.now();
    const chosen = this.selection;
    this.stages.forEach((stage, i) => {
      const frame = stage.run.frameAt(this.player.time);
      const next = Math.min(frame + 1, stage.run.frames - 1);
      const span = stage.run.time(next) - stage.run.time(frame);
      const part = span > 0 ? Math.min(1, Math.max(0, (this.player.time - stage.run.time(frame)) / span)) : 0;
      const key = chosen && "contact" in chosen && chosen.run === i ? chosen.contact : null;
      stage.show(frame, part < 1e-6 ? 0 : part, this.options, key);
    });
    if (this.isFollowing && chosen && "body" in chosen) {
      const now = this.stages[chosen.run].bodies.position(chosen.body);
      const move = now.clone().sub(this.followed ?? now);
      this.followed = now;
      this.camera.position.add(move);
      this.controls.target.add(move);
      this.camera.lookAt(this.controls.target);
    }
    this.render();
    this.updatePanel();
    for (const listener of this.listeners) listener();
    this.drawn++;
    this.drawSeconds = (performance.now() - begin) / 1000;
  }

  private render(): void {
    const height = find("stage").clientHeight;
    this.renderer.setScissorTest(true);
    this.viewports().forEach((view, i) => {
      const bottom = height - view.y - view.height;
      this.renderer.setViewport(view.x, bottom, view.width, view.height);
      this.renderer.setScissor(view.x, bottom, view.width, view.height);
      this.renderer.clear();
      this.aim(view.width / view.height);
      this.renderer.render(this.stages[i].scene, this.camera);
    });
  }

  private updatePanel(): void {
    const frame = this.stages[0].frame;
    if (frame === this.panelFrame && this.player.isPlaying) return;
    this.panelFrame = frame;
    this.plots.setTime(this.player.time);
    const chosen = this.selection;
    if (!chosen) return;
    const stage = this.stages[chosen.run];
    const contacts = stage.run.contacts(stage.frame);
    find("numbers").innerHTML =
      "body" in chosen
        ? describeBody(stage.run, stage.frame, chosen.body, contacts)
        : describeContact(stage.run, contacts.find((contact) => contact.key === chosen.contact));
  }

  /** The stage as a PNG. */
  picture(): string {
    this.draw();
    return this.renderer.domElement.toDataURL("image/png");
  }

  showBadges(): void {
    find("badges").replaceChildren(
      ...this.badges().map((badge) => {
        const element = document.createElement("span");
        element.className = `badge ${badge.grade}`;
        element.append(`${badge.name} `, Object.assign(document.createElement("b"), { textContent: badge.value }));
        return element;
      }),
    );
  }

  // How well the run was solved, in a few words.
  private badges(): { name: string; value: string; grade: "" | "good" | "bad" }[] {
    const worst = (name: string) => Math.max(...this.runs.map((run) => run.column(name).reduce((a, b) => Math.max(a, Number.isFinite(b) ? b : 0), 0)));
    const residual = worst("certificate.residual");
    const list: { name: string; value: string; grade: "" | "good" | "bad" }[] = [{ name: "residual", value: `${number(residual)} m/s`, grade: residual < 1e-8 ? "good" : "bad" }];
    if (worst("certificate.sticking") + worst("certificate.sliding") > 0)
      list.push({ name: "drift", value: `${number(worst("certificate.sticking_drift"))} m`, grade: "" });
    const unsolved = worst("certificate.unsolved_islands");
    if (unsolved > 0) list.push({ name: "unsolved", value: String(unsolved), grade: "bad" });
    list.push({ name: this.runs.length > 1 ? "runs" : "law", value: this.runs.length > 1 ? String(this.runs.length) : this.runs[0].scene.formulation, grade: "" });
    list.push({ name: "step", value: `${number(1000 * this.runs[0].scene.dt)} ms`, grade: "" });
    return list;
  }
}
