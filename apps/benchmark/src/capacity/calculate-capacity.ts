/** What a service has to do, and what it costs. Times are CPU time; they can be measured on a busy machine. */
export interface Load {
  /** Requests per second at the peak. */
  readonly requests: number;
  /** The share of requests that write, from 0 to 1. */
  readonly writes: number;
  /** Microseconds of the serving process per request. */
  readonly serviceMicros: number;
  /** Microseconds of the database server per read and per write. */
  readonly readMicros: number;
  readonly writeMicros: number;
  /** How long a request occupies a connection, in milliseconds. */
  readonly connectionMs: number;
  /** The number of read replicas. */
  readonly replicas: number;
  /** How far replicas are behind, in milliseconds. */
  readonly lagMs: number;
  /** The pause of a client between two requests, in milliseconds. */
  readonly pauseMs: number;
  /** `database.poolSize` of a process. */
  readonly poolSize: number;
  /** The share of a processor that may be in use at the peak, from 0 to 1. */
  readonly utilization: number;
}

/** What the load needs. */
export interface Capacity {
  /** Processes of the service, each with a processor of its own. */
  readonly processes: number;
  /** Requests per second that one process of the service handles, and one processor of the primary. */
  readonly requestsPerProcess: number;
  readonly requestsPerPrimaryProcessor: number;
  /** Processors of the primary, and of each replica. */
  readonly primaryProcessors: number;
  readonly replicaProcessors: number;
  /** Requests that occupy a connection at the same time, on average. */
  readonly busyConnections: number;
  /** Connections that the processes may open: the minimum of `max_connections` without a pooler. */
  readonly connections: number;
  /** The share of reads that a replica cannot serve yet, because their client has just written. */
  readonly earlyReads: number;
}

const micros = 1_000_000;

/** Requests per second of a number of processors in use, of which each request takes so many microseconds. */
export const throughput = (processors: number, microsPerRequest: number): number =>
  (processors * micros) / microsPerRequest;

/** Calculates the capacity for a load. */
export function calculateCapacity(load: Load): Capacity {
  const { requests, writes, replicas, utilization, poolSize } = load;
  const processorsFor = (microsPerSecond: number): number => microsPerSecond / micros / utilization;
  const processes = Math.max(1, Math.ceil(processorsFor(requests * load.serviceMicros)));
  const reads = requests * (1 - writes);
  // A read follows a write of its client with the probability of a write, and then comes too early if the pause is shorter.
  const earlyReads = replicas === 0 ? 0 : writes * Math.min(1, load.lagMs / load.pauseMs);
  const onPrimary = replicas === 0 ? 1 : earlyReads;
  const written = requests * writes * load.writeMicros;
  const primaryProcessors = processorsFor(written + reads * onPrimary * load.readMicros);
  return {
    processes,
    requestsPerProcess: throughput(utilization, load.serviceMicros),
    requestsPerPrimaryProcessor: requests / primaryProcessors,
    primaryProcessors,
    // Each replica repeats the writes.
    replicaProcessors:
      replicas === 0 ? 0 : processorsFor(written + (reads * (1 - onPrimary) * load.readMicros) / replicas),
    busyConnections: (requests * load.connectionMs) / 1_000,
    connections: processes * (poolSize + 1),
    earlyReads,
  };
}
