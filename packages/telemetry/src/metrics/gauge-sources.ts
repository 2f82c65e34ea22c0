/** Where figures come from that are read when somebody asks for them. */
export interface MetricSources {
  /** How busy the connections to the database are. */
  readonly poolState?: (() => PoolState) | undefined;
  readonly passwords?: (() => { readonly running: number; readonly waiting: number }) | undefined;
  readonly isRedisUp?: (() => boolean) | undefined;
}

/** Connections of a pool: at work, open and idle, the most there may be; and how many wait for one. */
interface PoolState {
  readonly size: number;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** One figure that is read, with a value for each of its labels. */
interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly read: () => readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** The figures that are read; those of parts that the service has not are left out. */
export function gaugeSources(sources: MetricSources & { readonly running: () => number }): readonly GaugeSource[] {
  const { running, poolState, passwords, isRedisUp } = sources;
  const gauges = [single("http_requests_running", "Requests without an end yet.", running)];
  if (poolState !== undefined) {
    gauges.push({
      name: "database_pool_connections",
      help: "Connections to the database: used, idle, and the most there may be.",
      labelNames: ["state"],
      read: () => {
        const { size, used, idle } = poolState();
        return [
          [{ state: "used" }, used],
          [{ state: "idle" }, idle],
          [{ state: "most" }, size],
        ];
      },
    });
    const help = "Those who wait for a connection to the database.";
    gauges.push(single("database_pool_waiting", help, () => poolState().waiting));
  }
  if (passwords !== undefined) {
    gauges.push({
      name: "passwords_in_work",
      help: "Passwords that are hashed or compared now, and those that wait.",
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
    gauges.push(single("redis_up", "1 while Redis answers, else 0.", () => (isRedisUp() ? 1 : 0)));
  }
  return gauges;
}

/** A figure without labels. */
const single = (name: string, help: string, read: () => number): GaugeSource => ({
  name,
  help,
  labelNames: [],
  read: () => [[{}, read()]],
});
