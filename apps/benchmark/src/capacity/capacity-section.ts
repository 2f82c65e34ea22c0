import { randomBytes } from "node:crypto";
import fs from "node:fs";
import pg from "pg";
import { type Child, startChild, withChildren } from "../measure/child.js";
import { toEstimate } from "../measure/estimate.js";
import { toRawSubject } from "../measure/raw-subject.js";
import { makePeerRequests } from "../peers/peer-requests.js";
import { type Section } from "../report.js";
import { withShopDatabase } from "../shop/shop-database.js";
import { throughput } from "./calculate-capacity.js";

const counts = [1, 2, 4] as const;
const titles = ["by id", "list of 20, filter and sort"];
/** Connections of the clients to each process. */
const lines = 8;
/** Requests per process. */
const warmUp = 6_000;
const requests = 2_000;
const rounds = 3;

/** CPU microseconds of one request. */
interface Cost {
  readonly service: number;
  readonly database: number;
  /** Requests per second of all processes. */
  readonly perSecond: number;
}

/**
 * The capacity model of docs/explanation/scaling.md against one, two and four processes: CPU time per request of the service
 * and of PostgreSQL, whose processes must be on this machine.
 */
export async function capacitySections(): Promise<Section[]> {
  const rows: string[][] = [];
  const throughputs: string[][] = [];
  const connections: string[] = [];
  await withShopDatabase(async (databaseUrl) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const environment = { DATABASE_URL: databaseUrl, JWT_SECRET: randomBytes(48).toString("base64url") };
    const starts = Array.from({ length: Math.max(...counts) }, () =>
      startChild("serve.js", ["peer: service"], environment),
    );
    try {
      await withChildren(starts, async (children) => {
        const groups = counts.map((count) => children.slice(0, count));
        for (const { title, next } of makePeerRequests("").filter((one) => titles.includes(one.title))) {
          const measured = groups.map((): Cost[] => []);
          await toRawSubject(title, children, next, lines).run(warmUp * children.length);
          for (let round = 0; round < rounds; round++)
            for (const [at, group] of groups.entries()) measured[at]?.push(await costOf(group, client, next));
          const costs = measured.map(
            (samples): Cost => ({
              service: toEstimate(samples.map(({ service }) => service)).median,
              database: toEstimate(samples.map(({ database }) => database)).median,
              perSecond: toEstimate(samples.map(({ perSecond }) => perSecond)).median,
            }),
          );
          throughputs.push(
            ...measured.map((samples, at) => throughputRow(title, counts[at], samples, costs[0] as Cost)),
          );
          const [one, ...others] = costs as [Cost, ...Cost[]];
          const ofOne = (part: keyof Cost) => others.map((cost) => (cost[part] / one[part]).toFixed(2));
          rows.push([
            title,
            ...[one.service.toFixed(0), ...ofOne("service")],
            ...[one.database.toFixed(0), ...ofOne("database")],
          ]);
          console.error(`  ${rows.at(-1)?.join(" | ")}`);
        }
        const { rows: open } = await client.query(openConnections);
        connections.push(`${open.length} connections of ${children.length} processes`);
      });
    } finally {
      await client.end();
    }
  });
  return [
    {
      title: "Capacity",
      text: `CPU microseconds of one request with one process, and relative to that with two and four separate processes, of the service and of the PostgreSQL processes of their connections. ${lines} connections of clients per process; medians of ${rounds} rounds of ${requests} requests per process. At the end there were ${connections.join()}.`,
      headings: ["", "service, µs", "two ÷ one", "four ÷ one", "PostgreSQL, µs", "two ÷ one", "four ÷ one"],
      rows,
      rounds,
    },
    {
      title: "Throughput",
      text: "Requests per second of one, two and four processes under full load, the processors that the service and PostgreSQL used, and what the model calculates for these processors from the CPU time per request of one process.",
      headings: ["", "processes", "requests per second", "processors in use", "model", "measured ÷ model"],
      rows: throughputs,
      rounds,
    },
  ];
}

const openConnections =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";

async function costOf(
  children: readonly Child[],
  client: pg.Client,
  next: Parameters<typeof toRawSubject>[2],
): Promise<Cost> {
  const count = requests * children.length;
  const before = await cpuOfConnections(client);
  const begun = performance.now();
  const service = await toRawSubject("", children, next, lines).run(count);
  const seconds = (performance.now() - begun) / 1_000;
  const after = await cpuOfConnections(client);
  const database = [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0);
  return { service: service / count, database: database / count, perSecond: count / seconds };
}

/**
 * The throughput of a number of processes, and that of the model for the same processors in use: with the CPU time per request
 * of one process.
 */
function throughputRow(title: string, processes: number | undefined, samples: readonly Cost[], one: Cost): string[] {
  const measured = samples.map(({ service, database, perSecond }) => {
    const processors = (perSecond * (service + database)) / 1_000_000;
    return { perSecond, processors, model: throughput(processors, one.service + one.database) };
  });
  const ratio = (sample: { perSecond: number; model: number }): number => sample.perSecond / sample.model;
  const middle = measured.sort((a, b) => ratio(a) - ratio(b))[Math.floor(measured.length / 2)];
  if (middle === undefined) return [];
  const { perSecond, processors, model } = middle;
  const rates = [perSecond.toFixed(0), processors.toFixed(2), model.toFixed(0), ratio(middle).toFixed(2)];
  return [title, String(processes), ...rates];
}

/** The CPU microseconds so far of the PostgreSQL process of each connection. */
async function cpuOfConnections(client: pg.Client): Promise<ReadonlyMap<number, number>> {
  const { rows } = await client.query<{ pid: number }>(openConnections);
  return new Map(rows.map(({ pid }) => [pid, cpuOf(pid)]));
}

/** Linux counts in hundredths of a second. */
function cpuOf(pid: number): number {
  const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0] = text
    .slice(text.lastIndexOf(") ") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10_000;
}
