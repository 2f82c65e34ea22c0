import os from "node:os";
import type { Estimate } from "./measure/estimate.js";

/** One table of the report. */
export interface Section {
  readonly title: string;
  /** The description of the rows. */
  readonly text: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly rounds: number;
}

/** A ratio with its spread: `0.62 (0.61–0.64)`. */
export function showRatio({ median, low, high }: Estimate): string {
  // A ratio such as 0.0012 needs more than two decimals.
  const digits = median >= 0.1 ? 2 : 1 - Math.floor(Math.log10(median));
  return `**${median.toFixed(digits)}** (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

/** CPU microseconds with three significant digits. */
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
  const when = `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${os.platform()} ${os.arch()}, ${os.availableParallelism()} × ${os.cpus()[0]?.model.trim() ?? "unknown processor"}`;
  return `## ${title}\n\n${text}\n\n${table}\n\n${rounds} rounds; ${when}.\n`;
}

/** Replaces the sections of the page with the same titles; others remain unchanged, in their order. */
export function toPage(sections: readonly Section[], old: string): string {
  const existing = old.split(/^(?=## )/m).slice(1);
  const titleOf = (block: string): string => block.slice(3, block.indexOf("\n"));
  const measured = new Map(sections.map((section) => [section.title, toMarkdown(section)]));
  const replaced = existing.map((block) => measured.get(titleOf(block)) ?? `${block.trimEnd()}\n`);
  const titles = new Set(existing.map(titleOf));
  const added = [...measured].flatMap(([title, block]) => (titles.has(title) ? [] : [block]));
  return `# Benchmarks

This page shows the cost of servicekit compared with other frameworks, and how to repeat each measurement. \`npm run benchmark\` writes it.
[apps/benchmark](https://github.com/servicekit/servicekit/tree/main/apps/benchmark) contains the code of every target.

- **Cost** is CPU time of the serving process in microseconds per request, all threads included. The clients and PostgreSQL are
  other processes and do not count.
- **A ratio** is the median over short rounds of one run in which the targets alternate, with its 95 % confidence interval in
  parentheses. Below 1.00 the first target is cheaper. Compare ratios: costs change with the machine and its load.
- The line below each table states the number of rounds, the date, the Node version and the machine. \`npm run benchmark -- <part>\`
  repeats one part; the README of the benchmark lists the parts.

${[...replaced, ...added].join("\n")}`;
}
