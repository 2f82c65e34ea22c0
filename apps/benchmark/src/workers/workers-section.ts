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

/** What serves, in how many processes that know nothing of each other, and on how many connections to each. */
interface Side {
  readonly title: string;
  readonly name: string;
  readonly processes: number;
  readonly lines: number;
}

const one: Side = { title: "one process", name: "peer: service", processes: 1, lines: connections };
const apart: Side = { ...one, title: "two apart", processes: 2 };
// As many for each that serves: what waits for the same turn of its event loop is answered together.
const workers: Side = {
  title: "two workers",
  name: "peer: service, two workers",
  processes: 1,
  lines: 2 * connections,
};
const sides = [one, apart, workers];
const titles = ["welcome", "by id", "list of 20, filter and sort", "update"];

/**
 * What a second worker gives: two processors do twice as much, but for what their processes cost more together than one.
 *
 * @param pinned keeps what serves to a processor of its own
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
    const starts = sides.flatMap(({ name, processes }) =>
      Array.from({ length: processes }, () => startChild("serve.js", [name], environment)),
    );
    await withChildren(starts, async (children) => {
      const rest = [...children];
      const served = sides.map((side) => ({ side, own: rest.splice(0, side.processes) }));
      for (const { title, next } of requests) {
        const subjects = served.map(({ side, own }) => toRawSubject(side.title, own, next, side.lines));
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
      text: "CPU time of all processes together for a request, on 16 connections for each that serves, with all defaults; the limit of clients is counted in the primary. All that serves has one processor of this machine, and the clients have the other, so that neither side has any rest: a process that waits for its clients does less at once, and that costs more. Two processes cost more there because they take it from each other, also where they know nothing of each other (two apart); that goes away where each has its own. What is left is the price of being workers, and the last column says how many times as much as one process two of them do on processors of their own.",
      headings: [
        "",
        ...sides.map(({ title }) => `${title}, µs`),
        "two apart ÷ one",
        "workers ÷ two apart",
        "as much as one",
      ],
      rows,
      rounds,
    },
  ];
}

const twice = ({ median, low, high }: Estimate): Estimate => ({ median: 2 * median, low: 2 * low, high: 2 * high });
