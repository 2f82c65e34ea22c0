import { randomBytes } from "node:crypto";
import { startChild, withChildren } from "../measure/child.js";
import type { Estimate } from "../measure/estimate.js";
import { httpEffort } from "../measure/http-subject.js";
import { connections } from "../measure/load.js";
import { toRawSubject } from "../measure/raw-subject.js";
import { measureInRounds, type Subject } from "../measure/rounds.js";
import { makePeerRequests } from "../peers/peer-requests.js";
import { type Section, showCost, showRatio } from "../report.js";
import { withShopDatabase } from "../shop/shop-database.js";

/** A server, the number of its separate processes, and the connections to each. */
interface Target {
  readonly title: string;
  readonly name: string;
  readonly processes: number;
  readonly lines: number;
}

const one: Target = { title: "one process", name: "peer: service", processes: 1, lines: connections };
const apart: Target = { ...one, title: "two separate", processes: 2 };
// The same number for each serving process: requests of one tick of the event loop are handled together.
const workers: Target = {
  title: "two workers",
  name: "peer: service, two workers",
  processes: 1,
  lines: 2 * connections,
};
const targets = [one, apart, workers];
const titles = ["welcome", "by id", "list of 20, filter and sort", "update"];

/**
 * The gain of a second worker: twice the throughput, less the additional cost of two processes.
 *
 * @param pinned the environment that pins the serving processes to one processor
 */
export async function workersSections(pinned: Readonly<Record<string, string>>): Promise<Section[]> {
  const rows: string[][] = [];
  let rounds = 0;
  const requests = makePeerRequests("").filter(({ title }) => titles.includes(title));
  await withShopDatabase(async (databaseUrl) => {
    const environment = {
      DATABASE_URL: databaseUrl,
      JWT_SECRET: randomBytes(48).toString("base64url"),
      ...pinned,
    };
    const starts = targets.flatMap(({ name, processes }) =>
      Array.from({ length: processes }, () => startChild("serve.js", [name], environment)),
    );
    await withChildren(starts, async (children) => {
      const rest = [...children];
      const served = targets.map((target) => ({ target, own: rest.splice(0, target.processes) }));
      for (const { title, next } of requests) {
        const subjects = served.map(({ target, own }) => toRawSubject(target.title, own, next, target.lines));
        const [alone, two, shared] = subjects as [Subject, Subject, Subject];
        const pairs = [
          [two, alone],
          [shared, two],
        ] as const;
        const measured = await measureInRounds(subjects, pairs, httpEffort);
        rounds = Math.max(rounds, measured.rounds);
        rows.push([
          title,
          ...subjects.map((subject) => showCost(measured.cost(subject))),
          showRatio(measured.ratio(two, alone)),
          showRatio(measured.ratio(shared, two)),
          showRatio(twice(measured.ratio(two, shared))),
        ]);
        console.error(`  ${rows.at(-1)?.join(" | ")}`);
      }
    });
  });
  return [
    {
      title: "Two workers",
      text: "CPU time of all processes together per request, with all defaults and 16 connections per serving process; the primary counts the rate limit. All serving processes share one processor, the clients have the other. Two processes on one processor cost more than one, even without any communication between them (“two separate”): that part disappears on separate processors. The remainder is the cost of being workers. The last column is the throughput of two workers on separate processors, relative to one process.",
      headings: [
        "",
        ...targets.map(({ title }) => `${title}, µs`),
        "two separate ÷ one",
        "workers ÷ two separate",
        "throughput ÷ one",
      ],
      rows,
      rounds,
    },
  ];
}

const twice = ({ median, low, high }: Estimate): Estimate => ({ median: 2 * median, low: 2 * low, high: 2 * high });
