import { randomBytes } from "node:crypto";
import type { Estimate } from "../measure/estimate.js";
import { httpEffort, toHttpSubject, withSides } from "../measure/http-subject.js";
import { measureInRounds, type Subject } from "../measure/rounds.js";
import { makePeerRequests } from "../peers/peer-requests.js";
import { type Section, showCost, showRatio } from "../report.js";
import { withShopDatabase } from "../shop/shop-database.js";

const names = ["peer: service", "peer: service, two workers"] as const;
const titles = ["welcome", "by id", "list of 20, filter and sort", "update"];

/** What a second worker gives: two processors do twice as much, but for what their processes cost more together than one. */
export async function workersSections(): Promise<Section[]> {
  const rows: string[][] = [];
  let rounds = 0;
  const requests = makePeerRequests("").filter(({ title }) => titles.includes(title));
  await withShopDatabase((databaseUrl) =>
    withSides(
      names,
      { DATABASE_URL: databaseUrl, JWT_SECRET: randomBytes(48).toString("base64url") },
      async (sides) => {
        for (const { title, next } of requests) {
          const [one, two] = sides.map((side) => toHttpSubject(side, next)) as [Subject, Subject];
          const measured = await measureInRounds([one, two], [[two, one]], httpEffort);
          rounds = Math.max(rounds, measured.rounds);
          rows.push([
            title,
            showCost(measured.cost(one)),
            showCost(measured.cost(two)),
            showRatio(measured.ratio(two, one)),
            showRatio(twice(measured.ratio(one, two))),
          ]);
          console.error(`  ${rows.at(-1)?.join(" | ")}`);
        }
      },
      1,
    ),
  );
  return [
    {
      title: "Two workers",
      text: "CPU time of all processes together for a request, on the same 16 connections, with all defaults; the limit of clients is counted in the primary. Two processors do twice as much as one but for what the processes cost more together: the last column says how many times as much as one process two workers do on processors of their own. The cores of this machine are those of the clients and of PostgreSQL too, so it is not measured by the clock.",
      headings: ["", "one process, µs", "two workers, µs", "two ÷ one", "as much as one"],
      rows,
      rounds,
    },
  ];
}

const twice = ({ median, low, high }: Estimate): Estimate => ({ median: 2 * median, low: 2 * low, high: 2 * high });
