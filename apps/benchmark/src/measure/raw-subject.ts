import type { Child } from "./child.js";
import { connections, type LoadRequest } from "./load.js";
import { openRawConnection, type RawConnection } from "./raw-connection.js";
import type { Subject } from "./rounds.js";

/**
 * The CPU time that processes take together for requests, asked by a client that does next to nothing, so that what serves has no
 * rest: a process that waits for its clients does less at once, and that costs more.
 *
 * @param lines how many connections to each
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
