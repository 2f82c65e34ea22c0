import { scanJson } from "@servicekit/router/internal";
import { type Effort, measureInRounds, type Subject } from "../measure/rounds.js";
import { type Section, showCost, showRatio } from "../report.js";

const size = 1_000_000;
const fill = (part: string): string => `[${part.repeat(Math.floor(size / part.length))}${part.replace(/,$/, "")}]`;
const row =
  '{"id":1234,"name":"a name of some length","price":"12.50","isOpen":true,"note":null,"at":"2026-01-01T00:00:00Z"},';

/** Bodies of a megabyte, each with another type of value. */
const bodies: Readonly<Record<string, string>> = {
  "rows of a model": fill(row),
  "the same, written to be read": JSON.stringify(JSON.parse(fill(row)), null, 2),
  "short numbers": fill("0,"),
  "numbers with all digits": fill("0.1234567890123456,"),
  "texts of 40 characters": fill(`"${"x".repeat(40)}",`),
  "objects of one key": fill('{"a":1},'),
  "empty lists": fill("[],"),
};

const effort: Effort = { warmUp: 1_000_000, round: 200_000 };

/** The cost of checking a JSON body before it is parsed, compared with parsing it (contract C59). */
export async function scanSections(): Promise<Section[]> {
  const rows: string[][] = [];
  let rounds = 0;
  for (const [title, text] of Object.entries(bodies)) {
    const bytes = Buffer.from(text);
    const bounds = { depth: 32, values: Number.MAX_SAFE_INTEGER };
    const scan = subject("scan", () => scanJson(bytes, bounds));
    const parse = subject("parse", () => JSON.parse(text));
    const measured = await measureInRounds([scan, parse], [[scan, parse]], effort);
    rounds = Math.max(rounds, measured.rounds);
    const costs = [scan, parse].map((one) => showCost(measured.cost(one)));
    rows.push([title, ...costs, showRatio(measured.ratio(scan, parse))]);
  }
  return [
    {
      title: "Check of a JSON body",
      text: "The check of one megabyte of JSON for depth and number of values before it is parsed, compared with `JSON.parse` of the same text.",
      headings: ["", "check, µs", "JSON.parse, µs", "check ÷ JSON.parse"],
      rows,
      rounds,
    },
  ];
}

/** Work in this process, including garbage collection. */
const subject = (name: string, work: () => unknown): Subject => ({
  name,
  run: async (count) => {
    const before = process.cpuUsage();
    for (let done = 0; done < count; done++) work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  },
});
