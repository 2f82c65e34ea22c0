import os from "node:os";
import type { Estimate } from "./measure/estimate.js";

/** One table of the report. */
export interface Section {
  readonly title: string;
  /** What the rows mean. */
  readonly text: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly rounds: number;
}

/** A ratio with its spread: `0.62 (0.61–0.64)`. */
export function showRatio({ median, low, high }: Estimate): string {
  // Two digits behind the point tell nothing of a ratio of one to a thousand.
  const digits = median >= 0.1 ? 2 : 1 - Math.floor(Math.log10(median));
  return `**${median.toFixed(digits)}** (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

/** CPU microseconds, with as many digits as mean something. */
export const showCost = ({ median }: Estimate): string =>
  median.toLocaleString("en-US", { maximumSignificantDigits: 3 });

/** A section as Markdown. */
export function toMarkdown({ title, text, headings, rows, rounds }: Section): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  const table = [line(headings), rule, ...rows.map(line)].join("\n");
  const when = `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${os.platform()} ${os.arch()}, ${os.availableParallelism()} cores`;
  return `## ${title}\n\n${text}\n\n${table}\n\n${rounds} rounds; ${when}.\n`;
}

/** The page with new sections in place of those of the same titles; others stay as they were measured, where they stand. */
export function toPage(sections: readonly Section[], old: string): string {
  const kept = old.split(/^(?=## )/m).slice(1);
  const titleOf = (block: string): string => block.slice(3, block.indexOf("\n"));
  const measured = sections.map((section) => toMarkdown(section));
  const titles = new Set(measured.map(titleOf));
  const added = measured.filter((block) => !kept.some((other) => titleOf(other) === titleOf(block)));
  const replaced = kept.map((block) =>
    titles.has(titleOf(block))
      ? measured.find((other) => titleOf(other) === titleOf(block))
      : block.trimEnd().concat("\n"),
  );
  return `# Benchmarks

Written by \`npm run benchmark\`; behind each table stands when, and with what, it was measured.

A cost is the CPU time of the serving process, in microseconds for each request, all threads of it included; the load
generator and PostgreSQL are other processes and do not count. The sides of a table have taken turns in short rounds of
one run. **Read the ratios, not the costs**: a ratio is the median of the rounds, and the two numbers behind it hold it
with 95 % confidence. Costs change with the machine and with what else it does. Under 1.00 the first side is the cheaper.

${[...replaced, ...added].join("\n")}`;
}
