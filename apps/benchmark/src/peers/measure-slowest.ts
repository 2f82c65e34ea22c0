import type { Target } from "../measure/http-subject.js";
import type { LoadRequest } from "../measure/load.js";
import { openRawConnection, type RawConnection } from "../measure/raw-connection.js";
import { type Measured, toMeasured } from "../measure/rounds.js";

const connections = 32;
const rounds = 9;
const perRound = 1500;

/**
 * The 99th percentile of response times at 32 connections, in microseconds of wall-clock time. The targets alternate, each
 * round starting with another one; the first round is a warm-up and does not count.
 */
export async function measureSlowest(
  peers: readonly { readonly target: Target; readonly next: () => LoadRequest }[],
): Promise<Measured> {
  const clients = peers.map(({ target: { processes } }) =>
    Array.from({ length: connections }, () => openRawConnection(processes[0]?.child.ready ?? 0)),
  );
  const samples = new Map<string, number[]>(peers.map(({ target }) => [target.name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const place of peers.keys()) {
      const at = (place + round) % peers.length;
      const peer = peers[at];
      if (peer === undefined) continue;
      const slowest = await slowestOf(clients[at] ?? [], peer.next);
      if (round > 0) samples.get(peer.target.name)?.push(slowest * 1000);
    }
  }
  for (const line of clients.flat()) line.close();
  return toMeasured(samples);
}

async function slowestOf(lines: readonly RawConnection[], next: () => LoadRequest): Promise<number> {
  const times: number[] = [];
  let left = perRound;
  const work = async (line: RawConnection): Promise<void> => {
    while (left-- > 0) {
      const started = performance.now();
      await line.send(next());
      times.push(performance.now() - started);
    }
  };
  await Promise.all(lines.map(work));
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
