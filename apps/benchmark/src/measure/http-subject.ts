import { type Child, startChild, withChildren } from "./child.js";
import { type LoadClient, type LoadRequest, makeLoadClient } from "./load.js";
import type { Effort, Subject } from "./rounds.js";

/** A server with a database has much code to compile. */
export const httpEffort: Effort = { warmUp: 10_000_000, round: 200_000 };

/** The compiler's choices differ from process to process, so each target is served by several. */
const usualProcesses = 3;

interface ServingProcess {
  readonly child: Child;
  readonly client: LoadClient;
}

/** One target: processes that serve the same, with one client each. */
export interface Target {
  readonly name: string;
  readonly processes: readonly ServingProcess[];
}

/** Starts the processes of each target, passes them to the work, and stops them. */
export async function withTargets<T>(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
  work: (targets: readonly Target[]) => Promise<T>,
  processes = usualProcesses,
): Promise<T> {
  const starts = names.flatMap((name) =>
    Array.from({ length: processes }, () => startChild("serve.js", [name], environment)),
  );
  return withChildren(starts, async (children) => {
    const serving = children.map((child) => ({ child, client: makeLoadClient(child.ready) }));
    try {
      return await work(
        names.map((name, place) => ({
          name,
          processes: serving.slice(place * processes, (place + 1) * processes),
        })),
      );
    } finally {
      for (const { client } of serving) client.close();
    }
  });
}

/** The clients of one process of each target. */
export const firstClients = (targets: readonly Target[]): readonly LoadClient[] =>
  targets.flatMap((target) => target.processes.slice(0, 1).map(({ client }) => client));

/** The CPU time of a target for requests, which are sent to its processes in turn. */
export function toHttpSubject({ name, processes }: Target, next: () => LoadRequest): Subject {
  return {
    name,
    run: async (count) => {
      let time = 0;
      for (const [place, { child, client }] of processes.entries()) {
        const share = Math.floor((count + place) / processes.length);
        const before = await child.query("cpu");
        await client.sendAll(share, next);
        time += (await child.query("cpu")) - before;
      }
      return time;
    },
  };
}
