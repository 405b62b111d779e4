// Plots over time, linked to the clock: its place is marked, and a click goes there.

import uPlot from "uplot";
import { judge, type Run } from "./data";
import { modeColors, seriesColors, type Theme } from "./theme";

export interface Curve {
  name: string;
  color: string;
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

export interface PlotSpec {
  id: string;
  title: string;
  unit: string;
  log?: boolean;
  curves: Curve[];
}

const short = (value: number | null) =>
  value === null || !Number.isFinite(value) ? "–" : Number.isInteger(value) && Math.abs(value) < 1e5 ? String(value) : Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5 ? value.toPrecision(4) : value.toExponential(2);

/** The plots that every run has; with several runs each has a curve in each. */
// A potential has no zero of its own: it begins at `start`.
function fromStart(values: Float64Array, start = 0): Float64Array {
  return values.map((value) => value - values[0] + start);
}

// What has changed the kinetic energy, each item that ever did.
function ledger(run: Run): [string, string, Float64Array][] {
  const items: [string, string, string][] = [
    ["applied", "forces", seriesColors[3]],
    ["motors", "motors", seriesColors[4]],
    ["friction", "friction", modeColors[2]],
    ["normal", "contact", modeColors[1]],
    ["bilateral", "constraints", seriesColors[0]],
    ["relaxation", "springs", seriesColors[2]],
    ["limits", "limits", seriesColors[1]],
    ["numerical", "numerical", seriesColors[5]],
  ];
  const all = items.map(([field, name, color]): [string, string, Float64Array] => [name, color, run.column(`energy.${field}`)]);
  const size = (values: Float64Array) => values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  const largest = Math.max(...all.map(([, , values]) => size(values)));
  return all.filter(([, , values]) => size(values) > 1e-3 * largest);
}

export function standardPlots(runs: Run[]): PlotSpec[] {
  const several = runs.length > 1;
  const times = runs.map((run) => run.column("time"));
  const curve = (i: number, name: string, color: string, values: ArrayLike<number>): Curve => ({ name, color, times: times[i], values });
  const perRun = (values: (run: Run) => ArrayLike<number>) => runs.map((run, i) => curve(i, run.scene.label, seriesColors[i % seriesColors.length], values(run)));
  const sum = (run: Run, names: string[]) => {
    const columns = names.map((name) => run.column(name));
    return columns[0].map((_, i) => columns.reduce((total, column) => total + column[i], 0));
  };
  const energy = (run: Run) => sum(run, ["energy.kinetic", "energy.potential"]);
  const specs: PlotSpec[] = [];
  specs.push({
    id: "energy",
    title: several ? "Energy, kinetic and potential" : "Energy",
    unit: "J",
    curves: several
      ? perRun(energy)
      : [
          curve(0, "kinetic", seriesColors[0], runs[0].column("energy.kinetic")),
          curve(0, "potential", seriesColors[3], fromStart(runs[0].column("energy.potential"))),
          curve(0, "sum", seriesColors[5], fromStart(energy(runs[0]), runs[0].value("energy.kinetic", 0))),
        ],
  });
  if (!several) specs.push({ id: "ledger", title: "Energy ledger, work since the beginning", unit: "J", curves: ledger(runs[0]).map(([name, color, values]) => curve(0, name, color, values)) });
  specs.push({ id: "residual", title: "Residual of the steps", unit: "m/s", log: true, curves: perRun((run) => run.column("certificate.residual")) });
  const touches = runs.some((run) => sum(run, ["certificate.sticking", "certificate.sliding", "certificate.open"]).some((n) => n > 0));
  if (touches) {
    specs.push({
      id: "contacts",
      title: several ? "Sliding contacts" : "Contacts",
      unit: "",
      curves: several
        ? perRun((run) => run.column("certificate.sliding"))
        : [
            curve(0, "sticking", modeColors[1], runs[0].column("certificate.sticking")),
            curve(0, "sliding", modeColors[2], runs[0].column("certificate.sliding")),
            curve(0, "open", modeColors[0], runs[0].column("certificate.open")),
          ],
    });
    specs.push({ id: "penetration", title: "Penetration", unit: "m", log: true, curves: perRun((run) => run.column("certificate.penetration")) });
  } else {
    specs.push({ id: "constraint", title: "Constraint error", unit: "m, rad", log: true, curves: perRun((run) => run.column("certificate.constraint_error")) });
  }
  if (!several)
    runs[0].scene.motions.forEach((motion, i) =>
      specs.push({ id: `motion-${i}`, title: `Motion ${motion.name}`, unit: motion.unit, curves: [curve(0, motion.name, seriesColors[4], runs[0].column(`motion.${i}`))] }),
    );
  return specs;
}

export function bodyPlots(run: Run, body: number): PlotSpec[] {
  const times = run.column("time");
  const curves = (name: "position" | "velocity", first: number) =>
    ["x", "y", "z"].map((axis, k) => ({ name: axis, color: seriesColors[k], times, values: run.bodyColumn(name, body, first + k) }));
  return [
    { id: "position", title: "Position", unit: "m", curves: curves("position", 0) },
    { id: "velocity", title: "Velocity", unit: "m/s", curves: curves("velocity", 0) },
    { id: "spin", title: "Angular velocity", unit: "rad/s", curves: curves("velocity", 3) },
  ];
}

export function contactPlots(run: Run, key: number): PlotSpec[] {
  const times = run.column("time");
  const history = run.contactHistory(key).map((contact) => (contact ? judge(contact) : null));
  const pick = (get: (one: ReturnType<typeof judge>) => number) => history.map((one) => (one ? get(one) : NaN));
  return [
    {
      id: "force",
      title: "Force",
      unit: "N",
      curves: [
        { name: "normal", color: seriesColors[0], times, values: pick((one) => one.normal) },
        { name: "friction", color: seriesColors[1], times, values: pick((one) => one.tangent) },
        { name: "limit µN", color: seriesColors[5], times, values: pick((one) => one.limit) },
      ],
    },
    { id: "slip", title: "Slip speed", unit: "m/s", log: true, curves: [{ name: "slip", color: modeColors[2], times, values: pick((one) => one.slip) }] },
    { id: "margin", title: "Margin to slipping", unit: "", curves: [{ name: "margin", color: modeColors[1], times, values: pick((one) => one.margin) }] },
  ];
}

// One axis of times for curves of several runs.
function align(spec: PlotSpec): uPlot.AlignedData {
  const tables = spec.curves.map((curve) => {
    const values = Array.from(curve.values, (value) => (!Number.isFinite(value) || (spec.log && value <= 0) ? null : value));
    return [Array.from(curve.times), values] as uPlot.AlignedData;
  });
  const same = spec.curves.every((curve) => curve.times === spec.curves[0].times);
  if (same) return [tables[0][0], ...tables.map((table) => table[1])] as uPlot.AlignedData;
  return uPlot.join(tables);
}

// A logarithmic plot of zeros shows nothing.
function isShown(spec: PlotSpec): boolean {
  return spec.curves.some((curve) => Array.from(curve.values).some((value) => Number.isFinite(value) && (!spec.log || value > 0)));
}

export class Plots {
  private plots: { plot: uPlot; element: HTMLElement; spec: PlotSpec }[] = [];
  private time = 0;
  private width = 0;

  constructor(
    private parent: HTMLElement,
    private onSeek: (time: number) => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(parent);
  }

  get ids(): string[] {
    return this.plots.map(({ spec }) => spec.id);
  }

  show(specs: PlotSpec[], theme: Theme): void {
    for (const { plot, element } of this.plots) {
      plot.destroy();
      element.remove();
    }
    this.plots = specs.filter(isShown).map((spec) => this.make(spec, theme));
    this.setTime(this.time);
  }

  private make(spec: PlotSpec, theme: Theme) {
    const element = document.createElement("section");
    element.className = "plot";
    element.dataset.id = spec.id;
    const title = document.createElement("h3");
    title.textContent = spec.unit ? `${spec.title}, ${spec.unit}` : spec.title;
    element.append(title);
    this.parent.append(element);
    const axis: uPlot.Axis = {
      stroke: theme.muted,
      font: "11px system-ui, sans-serif",
      grid: { stroke: theme.line, width: 1 },
      ticks: { show: false },
    };
    const data = align(spec);
    const options: uPlot.Options = {
      width: this.measureWidth(),
      height: 128,
      padding: [6, 8, 0, 0],
      legend: { live: true },
      cursor: { drag: { x: false, y: false }, points: { size: 5 } },
      scales: { x: { time: false }, y: spec.log ? { distr: 3 } : { range: (_u, low, high) => padded(low, high) } },
      axes: [
        { ...axis, size: 24, space: 60 },
        { ...axis, grid: spec.log ? { ...axis.grid, filter: decades } : axis.grid, size: 52, space: 26, values: (_u, ticks) => (spec.log ? decades(_u, ticks) : ticks).map((tick) => (tick === null ? "" : axisText(tick, spec.log === true))) },
      ],
      series: [
        { label: "t", value: (_u, value) => (value === null ? "–" : `${value.toFixed(3)} s`) },
        ...spec.curves.map((curve): uPlot.Series => ({ label: curve.name, stroke: curve.color, width: 1.6, points: { show: false }, spanGaps: false, value: (_u, value) => short(value) })),
      ],
    };
    const plot = new uPlot(options, data, element);
    plot.over.addEventListener("click", (event) => this.onSeek(plot.posToVal(event.offsetX, "x")));
    plot.over.addEventListener("mouseleave", () => this.setTime(this.time));
    return { plot, element, spec };
  }

  private measureWidth(): number {
    return Math.max(180, this.parent.clientWidth - 24);
  }

  private resize(): void {
    const width = this.measureWidth();
    if (width === this.width) return;
    this.width = width;
    for (const { plot } of this.plots) plot.setSize({ width, height: 128 });
    this.setTime(this.time);
  }

  /** Puts the cursor of every plot there; the legends then tell the values. */
  setTime(time: number): void {
    this.time = time;
    for (const { plot } of this.plots) {
      const left = plot.valToPos(time, "x");
      plot.setCursor({ left, top: plot.over.clientHeight / 2 }, false);
    }
  }

  /** Time at which the cursor of a plot stands, for tests. */
  cursorTime(index = 0): number | null {
    const plot = this.plots[index]?.plot;
    const i = plot?.cursor.idx;
    return plot && i != null ? plot.data[0][i] : null;
  }
}

function padded(low: number, high: number): [number, number] {
  if (low === null || high === null) return [0, 1];
  const space = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
  return [low >= 0 && low - space < 0 ? Math.min(0, low) : low - space, high + space];
}

// Lines and numbers of a logarithmic axis only at powers of ten, and at not more than six of them.
function decades(_u: uPlot, splits: number[]): (number | null)[] {
  const power = (value: number) => (Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6 ? Math.round(Math.log10(value)) : NaN);
  const every = Math.ceil(splits.filter((value) => !Number.isNaN(power(value))).length / 6);
  return splits.map((value) => (power(value) % every === 0 ? value : null));
}

function axisText(tick: number, isLog: boolean): string {
  if (isLog) return tick.toExponential(0);
  return Math.abs(tick) >= 1e5 || (tick !== 0 && Math.abs(tick) < 1e-3) ? tick.toExponential(1) : String(Number(tick.toPrecision(6)));
}
