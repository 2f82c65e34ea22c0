/** One curve of the chart. */
export interface Curve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
}

export interface CurvePoint {
  /** As a multiple of the capacity. */
  readonly load: number;
  /** As a fraction of the capacity. */
  readonly goodput: number;
  /** Milliseconds. */
  readonly p99: number;
}

const size = { width: 720, height: 330 };
const panel = { width: 270, height: 220, top: 50 };
const max = { load: 8, goodput: 1.25 };
const colours = ["#b3261e", "#1a6b3c", "#5b7fa6"];

/** Draws load against goodput, and load against the 99th percentile of the duration of successful responses, side by side. */
export function drawCurves(curves: readonly Curve[], patience: number): string {
  const x = (left: number, load: number): number => left + (load / max.load) * panel.width;
  const y = (part: number): number => panel.top + (1 - part) * panel.height;
  const line = (left: number, curve: Curve, at: number, part: (point: CurvePoint) => number): string => {
    const seen = curve.points.filter((point) => Number.isFinite(part(point)));
    const places = seen.map((point) => `${round(x(left, point.load))},${round(y(part(point)))}`);
    const dots = places.map((place) => place.split(",")).map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3"/>`);
    return `<g fill="${colours[at]}" stroke="${colours[at]}" stroke-width="2"><polyline fill="none" points="${places.join(" ")}"/>${dots.join("")}</g>`;
  };
  const axes = (left: number, title: string, ticks: readonly (readonly [part: number, label: string])[]): string =>
    [
      text(left, panel.top - 18, title, "start", "bold"),
      ...ticks.map(
        ([part, label]) =>
          `<line x1="${left}" x2="${left + panel.width}" y1="${round(y(part))}" y2="${round(y(part))}" stroke="#ccc"/>${text(left - 6, y(part) + 4, label, "end")}`,
      ),
      ...[1, 2, 3, 5, 8].map((load) => text(x(left, load), panel.top + panel.height + 18, `${load}`, "middle")),
      text(
        left + panel.width / 2,
        panel.top + panel.height + 36,
        "load, as a multiple of the capacity of one process",
        "middle",
      ),
    ].join("\n");
  const [goodputLeft, timeLeft] = [60, 430];
  const part = (share: number): number => Math.min(share / max.goodput, 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="system-ui, sans-serif" font-size="12">
<title>Successful responses and their 99th percentile, by load</title>
<rect width="100%" height="100%" fill="#fff"/>
${axes(
  goodputLeft,
  "successful responses per second of CPU time",
  [0, 0.25, 0.5, 0.75, 1, 1.25].map((share) => [part(share), `${share * 100} %`]),
)}
${axes(
  timeLeft,
  "p99 of successful responses",
  [0, 1, 2, 3].map((seconds) => [(seconds * 1_000) / patience, `${seconds} s`]),
)}
${curves.map((curve, at) => line(goodputLeft, curve, at, ({ goodput }) => part(goodput))).join("\n")}
${curves.map((curve, at) => line(timeLeft, curve, at, ({ p99 }) => Math.min(p99 / patience, 1))).join("\n")}
${curves.map(({ name }, at) => `<g fill="${colours[at]}"><rect x="${goodputLeft + at * 130}" y="${size.height - 14}" width="12" height="4"/>${text(goodputLeft + 18 + at * 130, size.height - 8, name, "start")}</g>`).join("\n")}
</svg>
`;
}

const round = (value: number): string => value.toFixed(1);

const text = (x: number, y: number, words: string, anchor: string, weight = "normal"): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-weight="${weight}">${words}</text>`;
