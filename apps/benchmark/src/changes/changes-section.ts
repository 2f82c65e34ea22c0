import pg from "pg";
import { type Target, toHttpSubject, withTargets } from "../measure/http-subject.js";
import type { LoadRequest } from "../measure/load.js";
import { type Effort, measureInRounds, type Subject, toMeasured } from "../measure/rounds.js";
import { type Section, showCost, showRatio } from "../report.js";
import { withShopDatabase } from "../shop/shop-database.js";
import { makeCreations } from "../shop/shop-requests.js";
import { productCount } from "../shop/shop-rows.js";

const names = ["changes: recorded", "changes: none"] as const;
const bulkSize = 20;
/** Of each target: their pools share the connections of one server. */
const processes = 2;

const writeEffort: Effort = { warmUp: 6_000_000, round: 150_000, maxRounds: 41 };
/** A deleted row cannot be deleted again, so fewer are. */
const deleteEffort: Effort = { warmUp: 2_000_000, round: 60_000, maxRounds: 31 };
/** The rows that are deleted: enough for the efforts above. */
const deletedRows = 400_000;

/** The cost of writes with a change log (contract C106). */
export async function changesSections(pinned: Readonly<Record<string, string>>): Promise<Section[]> {
  const rows: string[][] = [];
  let rounds = 0;
  await withShopDatabase(async (databaseUrl) => {
    const firstId = await addProducts(databaseUrl);
    await withTargets(
      names,
      { DATABASE_URL: databaseUrl, ...pinned },
      async (targets) => {
        for (const { title, next, effort } of makeWrites(firstId)) {
          const durations = new Map<string, number[]>();
          const [recorded, plain] = targets.map((target) => timed(target, next, durations)) as [Subject, Subject];
          const measured = await measureInRounds([recorded, plain], [[recorded, plain]], effort);
          rounds = Math.max(rounds, measured.rounds);
          const clock = toMeasured(
            new Map([...durations].map(([name, samples]) => [name, samples.slice(-measured.rounds)])),
          );
          const ratios = [measured, clock].map(({ ratio }) => showRatio(ratio(recorded, plain)));
          rows.push([title, showCost(measured.cost(plain)), ...ratios]);
        }
      },
      processes,
    );
  });
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

interface MeasuredWrite {
  readonly title: string;
  readonly next: () => LoadRequest;
  readonly effort: Effort;
}

/** @param firstId the first of the rows that may be deleted */
function makeWrites(firstId: number): readonly MeasuredWrite[] {
  const create = makeCreations();
  let at = 0;
  let deleted = 0;
  const nextDeleted = (): number => {
    if (deleted >= deletedRows) throw new Error("All rows are deleted.");
    return firstId + deleted++;
  };
  const changed = (): { id: number; stock: number; price: string } => {
    at++;
    return { id: 1 + ((at * 7919) % productCount), stock: at % 1_000, price: "19.90" };
  };
  const many = <T>(make: () => T): readonly T[] => Array.from({ length: bulkSize }, make);
  const path = "/api/products/many";
  return [
    { title: "a product created", next: create, effort: writeEffort },
    {
      title: "a product updated",
      next: () => {
        const { id, ...body } = changed();
        return { method: "PATCH", path: `/api/products/${id}`, body: JSON.stringify(body) };
      },
      effort: writeEffort,
    },
    {
      title: "a product deleted",
      next: () => ({ method: "DELETE", path: `/api/products/${nextDeleted()}` }),
      effort: deleteEffort,
    },
    {
      title: `${bulkSize} products created in bulk`,
      next: () => ({ method: "POST", path, body: `[${many(() => create().body).join()}]` }),
      effort: writeEffort,
    },
    {
      title: `${bulkSize} products updated in bulk`,
      next: () => ({ method: "PATCH", path, body: JSON.stringify(many(changed)) }),
      effort: writeEffort,
    },
    {
      title: `${bulkSize} products deleted in bulk`,
      next: () => ({ method: "DELETE", path, body: JSON.stringify({ ids: many(nextDeleted) }) }),
      effort: deleteEffort,
    },
  ];
}

/** Adds the rows that are deleted, and returns the id of the first one. */
async function addProducts(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(`WITH added AS (
  INSERT INTO "Product" ("sku", "name", "price", "releasedAt", "updatedAt", "categoryId")
  SELECT 'DELETED-' || n, 'A product without a future', 9.95, now(), now(), 1 FROM generate_series(1, ${deletedRows}) AS n
  RETURNING "id"
) SELECT min("id") AS first FROM added`);
    await client.query("VACUUM ANALYZE");
    return rows[0].first;
  } finally {
    await client.end();
  }
}
