import type { LoadRequest } from "../measure/load.js";
import { openRawLine, type RawLine } from "../measure/raw-line.js";

const connections = 32;
const rounds = 9;
const perRound = 1500;

/** The 99th percentile of the time of answers at 32 connections, in milliseconds, for each port: the median of rounds. */
export async function measureSlowest(ports: readonly number[], next: () => LoadRequest): Promise<readonly number[]> {
  const clients = ports.map((port) => Array.from({ length: connections }, () => openRawLine(port)));
  const seen: number[][] = ports.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, lines] of clients.entries()) {
      const times: number[] = [];
      let left = perRound;
      const work = async ({ get }: RawLine): Promise<void> => {
        while (left-- > 0) {
          const started = performance.now();
          await get(next().path);
          times.push(performance.now() - started);
        }
      };
      await Promise.all(lines.map(work));
      seen[at]?.push(quantile(times, 0.99));
    }
  }
  for (const line of clients.flat()) line.close();
  return seen.map((percentiles) => quantile(percentiles, 0.5));
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
