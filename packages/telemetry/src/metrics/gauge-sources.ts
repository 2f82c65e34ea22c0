/** Functions that return the current values of gauges. They are called when the metrics are read. */
export interface MetricSources {
  /** The state of the connection pool of the database. */
  readonly poolState?: (() => PoolState) | undefined;
  /** The numbers of password hashes that are being computed and that wait in a queue. */
  readonly passwords?: (() => { readonly running: number; readonly waiting: number }) | undefined;
  /** Whether Redis is reachable. */
  readonly isRedisUp?: (() => boolean) | undefined;
}

/** The connections of a pool by state, its maximum (`size`), and the number of queries that wait for a connection. */
interface PoolState {
  readonly size: number;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A gauge with the function that reads its value for each set of labels. */
interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly read: () => readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** The gauges of the given sources. */
export function gaugeSources(sources: MetricSources & { readonly running: () => number }): readonly GaugeSource[] {
  const { running, poolState, passwords, isRedisUp } = sources;
  const gauges = [single("http_requests_running", "Requests that are being processed.", running)];
  if (poolState !== undefined) {
    gauges.push({
      name: "database_pool_connections",
      help: "Database connections of the pool: in use (used), open and unused (idle), and the maximum (max).",
      labelNames: ["state"],
      read: () => {
        const { size, used, idle } = poolState();
        return [
          [{ state: "used" }, used],
          [{ state: "idle" }, idle],
          [{ state: "max" }, size],
        ];
      },
    });
    const help = "Queries and transactions that wait for a database connection.";
    gauges.push(single("database_pool_waiting", help, () => poolState().waiting));
  }
  if (passwords !== undefined) {
    gauges.push({
      name: "password_hashes_in_flight",
      help: "Password hashes that are being computed (running) or wait in a queue (waiting).",
      labelNames: ["state"],
      read: () => {
        const state = passwords();
        return [
          [{ state: "running" }, state.running],
          [{ state: "waiting" }, state.waiting],
        ];
      },
    });
  }
  if (isRedisUp !== undefined) {
    gauges.push(single("redis_up", "1 if Redis is reachable, 0 otherwise.", () => (isRedisUp() ? 1 : 0)));
  }
  return gauges;
}

/** A gauge without labels. */
const single = (name: string, help: string, read: () => number): GaugeSource => ({
  name,
  help,
  labelNames: [],
  read: () => [[{}, read()]],
});
