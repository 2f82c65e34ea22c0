import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig } from "../src/index.js";
import { type Guarded, makeWorld, type World } from "./guarded.js";
import { seedWorld } from "./two-databases.js";

/** A database that is served with row rules. */
export interface RuledWorld {
  readonly database: World;
  readonly guarded: Guarded;
  /** The evaluated rules by caller and method. */
  readonly requested: string[];
  /** Clears the record, and writes all rows anew. */
  reset(): Promise<void>;
}

/** Serves a database in which a caller sees some publishers, books, covers and tags, and may change fewer books. */
export async function makeRuledWorld(serverUrl: string): Promise<RuledWorld> {
  const requested: string[] = [];
  const whoSees = (name: string): ModelConfig => ({
    auth: {
      where: (request) => {
        requested.push(`${name} ${request.method}`);
        return true;
      },
    },
  });
  const database = await makeWorld(serverUrl);
  const guarded = await database.serve({
    models: {
      Publisher: { auth: { where: () => ({ city: "Bern" }) } },
      Book: {
        auth: { where: async () => ({ pages: { lt: 300 } }), updateOne: { where: () => ({ title: { not: "Two" } }) } },
      },
      Cover: { auth: { where: () => ({ color: "red" }) } },
      Tag: { auth: { where: () => ({ name: { not: "b" } }) } },
      Writer: whoSees("Writer"),
    },
  });
  const reset = async (): Promise<void> => {
    requested.length = 0;
    await database.sql(
      emptyTables("Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "Payment", "_BookToTag"),
    );
    await seedWorld(database, { secret: "s", score: "1", subtitle: "NULL", writer: "", share: "60", outside: [] });
  };
  return { database, guarded, requested, reset };
}

export const json = (text: string) => JSON.parse(text) as { data: Record<string, unknown>[]; meta: { total: number } };

/** The ids of the books that a query finds, or the status of an error. */
export async function bookIds(query: string, service: Guarded): Promise<unknown> {
  const { status, text } = await service.call("GET", `/books?${query}&fields=id`);
  return status === 200 ? json(text).data.map(({ id }) => id) : status;
}
