import { type LoadRequest, makeLoadClient } from "../measure/load.js";

const connections = 32;
const rounds = 9;
const perRound = 1500;

/** The 99th percentile of the time of answers at 32 connections, in milliseconds, for each port: the median of rounds. */
export async function measureSlowest(ports: readonly number[], next: () => LoadRequest): Promise<readonly number[]> {
  const clients = ports.map((port) => makeLoadClient(port, connections));
  const seen: number[][] = ports.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, client] of clients.entries()) {
      const times: number[] = [];
      let left = perRound;
      const work = async (): Promise<void> => {
        while (left-- > 0) {
          const started = performance.now();
          await client.ask(next());
          times.push(performance.now() - started);
        }
      };
      await Promise.all(Array.from({ length: connections }, work));
      seen[at]?.push(quantile(times, 0.99));
    }
  }
  for (const client of clients) client.close();
  return seen.map((percentiles) => quantile(percentiles, 0.5));
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
