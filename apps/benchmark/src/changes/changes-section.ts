import { httpEffort, type Target, toHttpSubject, withTargets } from "../measure/http-subject.js";
import type { LoadRequest } from "../measure/load.js";
import { measureInRounds, type Subject, toMeasured } from "../measure/rounds.js";
import { type Section, showCost, showRatio } from "../report.js";
import { withShopDatabase } from "../shop/shop-database.js";
import { makeCreations } from "../shop/shop-requests.js";
import { productCount } from "../shop/shop-rows.js";

const names = ["changes: recorded", "changes: none"] as const;
const bulkSize = 20;

/** The cost of writes with a change log (contract C106). */
export async function changesSections(pinned: Readonly<Record<string, string>>): Promise<Section[]> {
  const rows: string[][] = [];
  let rounds = 0;
  await withShopDatabase((databaseUrl) =>
    withTargets(names, { DATABASE_URL: databaseUrl, ...pinned }, async (targets) => {
      for (const { title, next } of makeWrites()) {
        const durations = new Map<string, number[]>();
        const [recorded, plain] = targets.map((target) => timed(target, next, durations)) as [Subject, Subject];
        const measured = await measureInRounds([recorded, plain], [[recorded, plain]], httpEffort);
        rounds = Math.max(rounds, measured.rounds);
        const clock = toMeasured(
          new Map([...durations].map(([name, samples]) => [name, samples.slice(-measured.rounds)])),
        );
        const ratios = [measured, clock].map(({ ratio }) => showRatio(ratio(recorded, plain)));
        rows.push([title, showCost(measured.cost(plain)), ...ratios]);
      }
    }),
  );
  return [
    {
      title: "Change log",
      text: "Writes of the shop with `changes: true`, compared with the same writes without a change log. Both columns are ratios: of CPU time of the service, and of time on the clock with 16 connections, which includes PostgreSQL.",
      headings: ["", "without, µs", "CPU, with ÷ without", "duration, with ÷ without"],
      rows,
      rounds,
    },
  ];
}

/** A subject whose durations on the clock are collected too, in microseconds of one request. */
function timed(target: Target, next: () => LoadRequest, durations: Map<string, number[]>): Subject {
  const subject = toHttpSubject(target, next);
  const samples: number[] = [];
  durations.set(subject.name, samples);
  return {
    name: subject.name,
    run: async (count) => {
      const began = performance.now();
      const cost = await subject.run(count);
      samples.push(((performance.now() - began) * 1_000) / count);
      return cost;
    },
  };
}

function makeWrites(): readonly { readonly title: string; readonly next: () => LoadRequest }[] {
  const create = makeCreations();
  let at = 0;
  return [
    { title: "a product created", next: create },
    {
      title: "a product updated",
      next: () => {
        at++;
        const body = JSON.stringify({ stock: at % 1_000, price: "19.90" });
        return { method: "PATCH", path: `/api/products/${1 + ((at * 7919) % productCount)}`, body };
      },
    },
    {
      title: `${bulkSize} products created in bulk`,
      next: () => {
        const items = Array.from({ length: bulkSize }, () => create().body).join();
        return { method: "POST", path: "/api/products/many", body: `[${items}]` };
      },
    },
  ];
}
