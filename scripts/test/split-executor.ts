import type { MakeExecutor } from "../../packages/prisma/src/index.js";

const reads: ReadonlySet<string> = new Set(["findMany", "findFirst", "findUnique", "count", "aggregate"]);

/** Runs reads and writes by different executors; what the first of a list does not support, the next runs. */
export const splitExecutor =
  (by: { readonly reads: readonly MakeExecutor[]; readonly writes: readonly MakeExecutor[] }): MakeExecutor =>
  (client) => {
    const own = { reads: by.reads.map((make) => make(client)), writes: by.writes.map((make) => make(client)) };
    return {
      prepare: (model, query, seen) => {
        for (const executor of reads.has(query.operation) ? own.reads : own.writes) {
          const run = executor.prepare(model, query, seen);
          if (run !== undefined) return run;
        }
        return undefined;
      },
    };
  };
