import type { Child } from "./child.js";
import { connections, type LoadRequest } from "./load.js";
import { openRawConnection, type RawConnection } from "./raw-connection.js";
import type { Subject } from "./rounds.js";

/**
 * The total CPU time of processes for requests of a minimal client, which keeps the servers saturated: a process that waits for
 * its clients handles fewer requests per tick, which costs more.
 *
 * @param lines the number of connections to each
 */
export function toRawSubject(
  name: string,
  children: readonly Child[],
  next: () => LoadRequest,
  lines = connections,
): Subject {
  const cpu = async (): Promise<number> => {
    let sum = 0;
    for (const child of children) sum += await child.query("cpu");
    return sum;
  };
  return {
    name,
    run: async (count) => {
      const open = children.flatMap(({ ready }) => Array.from({ length: lines }, () => openRawConnection(ready)));
      await Promise.all(open.map((line) => line.send(next())));
      const before = await cpu();
      let left = count;
      const work = async (line: RawConnection): Promise<void> => {
        while (left-- > 0) await line.send(next());
      };
      await Promise.all(open.map(work));
      const time = (await cpu()) - before;
      for (const line of open) line.close();
      return time;
    },
  };
}
