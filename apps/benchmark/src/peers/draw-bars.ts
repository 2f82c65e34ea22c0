/** A group of bars: one for each target. */
export interface BarGroup {
  readonly title: string;
  /** Relative to the second target, which is 1. */
  readonly values: readonly number[];
}

const colours = ["#1a6b3c", "#8a8f98", "#b9bec6", "#d9a441", "#3b6ea8", "#8db4dd"];
const place = { left: 190, bar: 9, gap: 12, top: 60, width: 440 };

/** Draws groups of horizontal bars; the line at 1 is the second target. */
export function drawBars(groups: readonly BarGroup[], targets: readonly string[]): string {
  const max = Math.max(1.25, ...groups.flatMap(({ values }) => values));
  const groupHeight = targets.length * place.bar + place.gap;
  const height = place.top + groups.length * groupHeight + 24;
  const x = (value: number): number => place.left + (value / max) * place.width;
  const bars = groups.map(({ title, values }, at) => {
    const top = place.top + at * groupHeight;
    const each = values.map((value, target) => {
      const y = top + target * place.bar;
      const label = target === 0 ? text(x(value) + 5, y + 8, value.toFixed(2), "start", "bold") : "";
      return `<rect x="${place.left}" y="${y}" width="${(x(value) - place.left).toFixed(1)}" height="${place.bar - 1}" fill="${colours[target]}"/>${label}`;
    });
    return `${text(place.left - 10, top + (targets.length * place.bar) / 2 + 4, title, "end")}${each.join("")}`;
  });
  const legend = targets.map((target, at) => {
    const [left, top] = [place.left + (at % 2) * 250, 10 + Math.floor(at / 2) * 16];
    return `<rect x="${left}" y="${top}" width="10" height="10" fill="${colours[at]}"/>${text(left + 15, top + 9, target, "start")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${height}" font-family="system-ui, sans-serif" font-size="12">
<title>CPU time per request, relative to Express with the same middleware</title>
<rect width="100%" height="100%" fill="#fff"/>
${legend.join("\n")}
<line x1="${x(1).toFixed(1)}" x2="${x(1).toFixed(1)}" y1="${place.top - 4}" y2="${height - 20}" stroke="#555" stroke-dasharray="3 3"/>
${text(x(1), height - 6, "1 = Express + Prisma, same middleware", "middle")}
${bars.join("\n")}
</svg>
`;
}

const text = (x: number, y: number, words: string, anchor: string, weight = "normal"): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-weight="${weight}">${words}</text>`;
