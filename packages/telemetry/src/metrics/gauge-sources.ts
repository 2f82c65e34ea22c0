/** Functions that return the current values of gauges. They are called when the metrics are read. */
export interface MetricSources {
  /** The state of the connection pool of the database. */
  readonly poolState?: (() => PoolState) | undefined;
  /** The states of the read replicas of the database. */
  readonly replicas?: (() => readonly ReplicaState[]) | undefined;
  /** The numbers of password hashes that are being computed and that wait in a queue. */
  readonly passwords?: (() => { readonly running: number; readonly waiting: number }) | undefined;
  /** Whether Redis is reachable. */
  readonly isRedisUp?: (() => boolean) | undefined;
  /** The numbers of jobs of each queue. */
  readonly jobCounts?: (() => Promise<readonly JobCounts[]>) | undefined;
  /** How far each consumer of the change log is behind. */
  readonly consumerLags?: (() => Promise<readonly ConsumerLag[]>) | undefined;
  /** The number of open event streams. */
  readonly eventStreams?: (() => number) | undefined;
}

/** How far a consumer of the change log is behind. */
interface ConsumerLag {
  readonly consumer: string;
  /** The number of changes that it has not turned into jobs yet. */
  readonly changes: number;
  /** The age of the oldest of them in seconds; 0 without any. */
  readonly seconds: number;
}

/** The numbers of jobs of a queue by state. */
interface JobCounts {
  readonly name: string;
  readonly queued: number;
  readonly active: number;
  readonly retrying: number;
  readonly failed: number;
}

/** The connections of a pool by state, its maximum (`size`), and the number of queries that wait for a connection. */
interface PoolState {
  readonly size: number;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A read replica, and how far it is behind the primary. */
interface ReplicaState {
  readonly name: string;
  readonly isInRotation: boolean;
  readonly lagMs: number;
}

/** A gauge with the function that reads its value for each set of labels. */
interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly read: () => Values | Promise<Values>;
}

type Values = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** The gauges of the given sources. */
export function gaugeSources(sources: MetricSources & { readonly running: () => number }): readonly GaugeSource[] {
  const { running, poolState, replicas, passwords, isRedisUp, jobCounts, consumerLags, eventStreams } = sources;
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
  if (replicas !== undefined) {
    const ofEach = (name: string, help: string, value: (replica: ReplicaState) => number): GaugeSource => ({
      name,
      help,
      labelNames: ["replica"],
      read: () => replicas().map((replica) => [{ replica: replica.name }, value(replica)]),
    });
    const rotation = "1 if reads use the replica, 0 otherwise.";
    gauges.push(
      ofEach("database_replica_lag_seconds", "How far a replica is behind the primary.", ({ lagMs }) => lagMs / 1_000),
      ofEach("database_replica_in_rotation", rotation, ({ isInRotation }) => (isInRotation ? 1 : 0)),
    );
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
  if (jobCounts !== undefined) {
    gauges.push({
      name: "jobs",
      help: "Jobs by queue: waiting for their first attempt (queued), active, waiting for another attempt (retrying), and failed for good (failed).",
      labelNames: ["queue", "state"],
      read: async () =>
        (await jobCounts()).flatMap(({ name: queue, ...states }) =>
          Object.entries(states).map(([state, count]) => [{ queue, state }, count] as const),
        ),
    });
  }
  if (consumerLags !== undefined) {
    const lags = joinCalls(consumerLags);
    const gauge = (name: string, help: string, value: "changes" | "seconds"): void => {
      const read = async (): Promise<Values> => (await lags()).map((lag) => [{ consumer: lag.consumer }, lag[value]]);
      gauges.push({ name, help, labelNames: ["consumer"], read });
    };
    gauge("change_lag", "Changes that a consumer of the change log has not turned into jobs yet.", "changes");
    gauge("change_lag_seconds", "Age of the oldest of these changes, 0 without any.", "seconds");
  }
  if (eventStreams !== undefined) {
    gauges.push(single("event_streams_open", "Event streams that clients have open.", eventStreams));
  }
  return gauges;
}

/** Returns the result of the running call to all callers: several gauges show one result. */
function joinCalls<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => (reading = undefined));
    return reading;
  };
}

/** A gauge without labels. */
const single = (name: string, help: string, read: () => number): GaugeSource => ({
  name,
  help,
  labelNames: [],
  read: () => [[{}, read()]],
});
