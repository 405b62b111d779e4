// What was chosen by a click or a search, in numbers.

import { judge, modes, type Contact, type Run } from "./data";
import { modeColors } from "./theme";

export type Selection = { run: number; body: number } | { run: number; contact: number };

export const number = (value: number): string =>
  value === 0 ? "0" : Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5 ? value.toPrecision(4) : value.toExponential(2);

const vector = (values: ArrayLike<number>): string => Array.from(values, number).join(", ");

function row(name: string, value: string, note = ""): string {
  return `<tr><th>${name}</th><td>${value}</td><td class="unit">${note}</td></tr>`;
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export function describeBody(run: Run, frame: number, body: number, contacts: Contact[]): string {
  const data = run.scene.bodies[body];
  const pose = new Float64Array(7);
  run.pose(frame, body, pose);
  const velocity = run.velocity(frame, body);
  const own = contacts.filter((contact) => contact.a === body || contact.b === body);
  const counts = modes.map((mode, m) => [mode, own.filter((contact) => contact.mode === m).length] as const).filter(([, n]) => n > 0);
  return (
    `<h2>${escape(data.name)}</h2><table>` +
    row("mass", number(data.mass ?? 0), "kg") +
    row("joint", data.joint ?? "–") +
    row("position", vector(pose.subarray(0, 3)), "m") +
    row("rotation", vector([pose[6], pose[3], pose[4], pose[5]]), "w x y z") +
    row("velocity", vector(velocity.slice(0, 3)), "m/s") +
    row("spin", vector(velocity.slice(3)), "rad/s") +
    row("contacts", counts.map(([mode, n]) => `${n} ${mode}`).join(", ") || "none") +
    "</table>"
  );
}

export function describeContact(run: Run, contact: Contact | undefined): string {
  if (!contact) return `<h2>Contact</h2><p class="muted">It is not there at this time.</p>`;
  const judged = judge(contact);
  const names = [contact.a, contact.b].map((b) => escape(run.scene.bodies[b]?.name ?? "?"));
  const verdict = contact.mode === 0 ? "carries nothing" : contact.mode === 2 ? "slides: the force is on the cone" : "sticks: the force is inside the cone";
  const used = judged.limit > 0 ? Math.min(1, judged.tangent / judged.limit) : 0;
  return (
    `<h2>${names[0]} <span class="muted">on</span> ${names[1]}</h2>` +
    `<p class="mode" style="--mode: ${modeColors[contact.mode]}">${modes[contact.mode]} <span>${verdict}</span></p>` +
    `<div class="bar" title="friction used of its limit"><i style="width:${(100 * used).toFixed(1)}%; background:${modeColors[contact.mode]}"></i></div><table>` +
    row("normal force", number(judged.normal), "N") +
    row("friction", number(judged.tangent), `N of ${number(judged.limit)}`) +
    row("margin", `${(100 * judged.margin).toFixed(1)} %`, "to slipping") +
    row("slip speed", number(judged.slip), "m/s") +
    row("gap", number(contact.gap), "m") +
    row("µ", number(contact.mu)) +
    row("force", vector(contact.force), "N") +
    row("impulse of a step", vector(contact.force.map((f) => f * run.scene.dt)), "N s") +
    row("point", vector(contact.point), "m") +
    row("normal", vector(contact.normal)) +
    "</table>"
  );
}
