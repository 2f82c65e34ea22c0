import { type DatabaseSettings, type MakeExecutor, type Models } from "../../packages/prisma/src/index.js";
import { chooseEngine, prismaExecutor, sqlExecutor } from "../../packages/prisma/src/internal.js";
import { adapterOf } from "./client-adapter.js";
import { makeComparedReads } from "./compare-reads.js";
import { splitExecutor } from "./split-executor.js";

/**
 * The executor of a test: the one that the umbrella chooses, except that `READS=both` compares each read with that of Prisma, and
 * `READS=sql` and `WRITES=sql` use SQL although the client logs its queries.
 */
export function chosenWays(client: object, models: Models): Required<Pick<DatabaseSettings, "executor">> {
  const adapter = adapterOf(client);
  const choice = { client, adapter, models, schema: "public" };
  const makers: Readonly<Record<string, () => readonly MakeExecutor[]>> = {
    both: () => [makeComparedReads(client, models), prismaExecutor],
    sql: () => [sqlExecutor({ ...choice, link: adapter.link }), prismaExecutor],
    prisma: () => [prismaExecutor],
  };
  const { executor } = chooseEngine(choice);
  const of = (name: string | undefined): readonly MakeExecutor[] => makers[name ?? ""]?.() ?? [executor];
  return { executor: splitExecutor({ reads: of(process.env.READS), writes: of(process.env.WRITES) }) };
}
