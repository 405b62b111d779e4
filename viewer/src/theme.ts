// Colours, light and dark. The modes of contacts have the same ones everywhere: points, plots, numbers.

export interface Theme {
  name: "light" | "dark";
  background: string;
  horizon: string;
  ground: string;
  grid: string;
  text: string;
  muted: string;
  line: string;
  edge: string;
}

export const themes: Record<Theme["name"], Theme> = {
  light: {
    name: "light",
    background: "#eef1f5",
    horizon: "#eef1f5",
    ground: "#dfe4ea",
    grid: "#c3ccd6",
    text: "#1d2733",
    muted: "#66727f",
    line: "#cfd6de",
    edge: "#22303d",
  },
  dark: {
    name: "dark",
    background: "#161c23",
    horizon: "#161c23",
    ground: "#38434f",
    grid: "#5b6a79",
    text: "#e3e9ef",
    muted: "#8d9aa8",
    line: "#2f3a45",
    edge: "#05080b",
  },
};

export const modeColors = ["#8b97a5", "#0d9e8a", "#ef6c1a"]; // open, sticking, sliding
export const forceColor = "#c81d4e";
export const bodyColors = ["#8fb0db", "#e2c184", "#ad9edb", "#a3cba7", "#dfa3aa", "#92c7cf", "#c6b9a6", "#a2b4c6"];
export const seriesColors = ["#3b78c2", "#c2467a", "#2f9e6e", "#b9832b", "#7d5fc4", "#64707d"];

const key = "rigor-theme";

export function initialTheme(): Theme["name"] {
  const asked = new URLSearchParams(location.hash.slice(1)).get("theme");
  if (asked === "dark" || asked === "light") return asked;
  try {
    const kept = localStorage.getItem(key);
    if (kept === "dark" || kept === "light") return kept;
  } catch {
    // a page inside a notebook may have no storage
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function keepTheme(name: Theme["name"]): void {
  try {
    localStorage.setItem(key, name);
  } catch {
    // then it is asked again
  }
}
