import { type Child, startChild, withChildren } from "./child.js";
import { type LoadClient, type LoadRequest, makeLoadClient } from "./load.js";
import type { Effort, Subject } from "./rounds.js";

/** A server with a database under it has much code to compile. */
export const httpEffort: Effort = { warmUp: 4_000_000, round: 120_000 };

/** A server in a process of its own, with a client of it. */
export interface ServerUnderTest {
  readonly name: string;
  readonly child: Child;
  readonly client: LoadClient;
}

/** Starts servers by name, lends them to the work, and ends them. */
export async function withServers<T>(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
  work: (servers: readonly ServerUnderTest[]) => Promise<T>,
): Promise<T> {
  const starts = names.map((name) => startChild("serve.js", [name], environment));
  return withChildren(starts, async (children) => {
    const servers = children.map((child, place) => ({
      name: names[place] ?? "",
      child,
      client: makeLoadClient(child.ready),
    }));
    try {
      return await work(servers);
    } finally {
      for (const { client } of servers) client.close();
    }
  });
}

/** The CPU time that a server takes for requests. */
export function toHttpSubject({ name, child, client }: ServerUnderTest, next: () => LoadRequest): Subject {
  return {
    name,
    run: async (count) => {
      const before = await child.ask("cpu");
      await client.sendAll(count, next);
      return (await child.ask("cpu")) - before;
    },
  };
}
