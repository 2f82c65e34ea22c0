import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig } from "../src/index.js";
import { type Guarded, makeWorld, type World } from "./guarded.js";
import { seedWorld } from "./two-worlds.js";

/** A world that is served with row rules. */
export interface RuledWorld {
  readonly world: World;
  readonly guarded: Guarded;
  /** Whose rule was asked, and by which method. */
  readonly asked: string[];
  /** Forgets what was asked, and writes all rows anew. */
  reset(): Promise<void>;
}

/** Serves a world in which a caller sees some publishers, books, covers and tags, and may change fewer books. */
export async function makeRuledWorld(serverUrl: string): Promise<RuledWorld> {
  const asked: string[] = [];
  const whoSees = (name: string): ModelConfig => ({
    auth: {
      where: (request) => {
        asked.push(`${name} ${request.method}`);
        return true;
      },
    },
  });
  const world = await makeWorld(serverUrl);
  const guarded = await world.serve({
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
    asked.length = 0;
    await world.sql(emptyTables("Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "Payment", "_BookToTag"));
    await seedWorld(world, { secret: "s", score: "1", subtitle: "NULL", writer: "", share: "60", outside: [] });
  };
  return { world, guarded, asked, reset };
}

export const json = (text: string) => JSON.parse(text) as { data: Record<string, unknown>[]; meta: { total: number } };

/** The ids of the books that a query finds, or the status of a refusal. */
export async function bookIds(query: string, service: Guarded): Promise<unknown> {
  const { status, text } = await service.ask("GET", `/books?${query}&fields=id`);
  return status === 200 ? json(text).data.map(({ id }) => id) : status;
}
