import { type Child, startChild, withChildren } from "../measure/child.js";
import { type Effort, measureInRounds, type Subject } from "../measure/rounds.js";
import { type Section, showCost, showRatio } from "../report.js";
import type { DispatcherName } from "./dispatchers.js";
import { type Target, targets } from "./routes.js";

interface Comparison {
  readonly title: string;
  readonly text: string;
  readonly ours: DispatcherName;
  readonly theirs: DispatcherName;
}

const comparisons: readonly Comparison[] = [
  {
    title: "Dispatch: the router alone",
    ours: "ServiceRouter",
    theirs: "express.Router",
    text: "Finding one route among many and calling its handler, without a network. Half of the routes have a parameter. “Ten in rotation” requests five routes of each kind, spread over the whole table.",
  },
  {
    title: "Dispatch: the whole application",
    ours: "service",
    theirs: "Express application",
    text: "The same through a service with all its global middleware, beside an Express application with the same middleware.",
  },
];

const sizes = [10, 1_000, 10_000];

const effort: Effort = { warmUp: 500_000, round: 60_000 };

/** The cost of reaching a route among 10, 1,000 and 10,000. */
export async function dispatchSections(): Promise<Section[]> {
  const sections: Section[] = [];
  for (const comparison of comparisons) {
    const { title, text, ours, theirs } = comparison;
    const names = [ours, theirs].flatMap((name) => sizes.map((size) => [name, String(size)]));
    const starts = names.map((args) => startChild("dispatch.js", args));
    const measured = await withChildren(starts, async (children) => {
      const parts = [];
      for (const target of targets) parts.push(await measureTarget(target, children));
      return parts;
    });
    sections.push({
      title,
      text,
      headings: ["", `${ours}, µs`, `${theirs}, µs`, `${ours} ÷ with 10 routes`, `${ours} ÷ ${theirs}`],
      rows: measured.flatMap(({ rows }) => rows),
      rounds: Math.max(...measured.map(({ rounds }) => rounds)),
    });
  }
  return sections;
}

/** @param children ours by size, then theirs by size */
async function measureTarget(
  target: Target,
  children: readonly Child[],
): Promise<{ readonly rows: readonly string[][]; readonly rounds: number }> {
  const subjects = children.map((child): Subject => ({ name: target, run: (count) => child.query({ target, count }) }));
  const ours = subjects.slice(0, sizes.length);
  const theirs = subjects.slice(sizes.length);
  const few = ours[0] as Subject;
  const measured = await measureInRounds(
    subjects,
    ours.slice(1).map((subject) => [subject, few] as const),
    effort,
  );
  const rows = ours.map((subject, place) => {
    const other = theirs[place] as Subject;
    return [
      `${target}, ${sizes[place]?.toLocaleString("en-US")} routes`,
      showCost(measured.cost(subject)),
      showCost(measured.cost(other)),
      subject === few ? "1" : showRatio(measured.ratio(subject, few)),
      showRatio(measured.ratio(subject, other)),
    ];
  });
  return { rows, rounds: measured.rounds };
}
