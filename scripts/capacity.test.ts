import { describe, expect, it } from "vitest";
import { calculateCapacity, type Load, throughput } from "../apps/benchmark/src/capacity/calculate-capacity.js";

const load: Load = {
  ...{ requests: 5_000, writes: 0.1, serviceMicros: 240, readMicros: 300, writeMicros: 400 },
  ...{ connectionMs: 4, replicas: 0, lagMs: 50, pauseMs: 500, poolSize: 10, utilization: 0.6 },
};

describe("calculateCapacity", () => {
  it("divides CPU time by the utilization, and counts the connections of all processes", () => {
    const {
      processes,
      primaryProcessors,
      replicaProcessors,
      requestsPerProcess,
      requestsPerPrimaryProcessor,
      ...rest
    } = calculateCapacity(load);
    expect([processes, replicaProcessors, requestsPerProcess]).toEqual([2, 0, 2_500]);
    // What all processors of the primary serve is the load.
    expect(requestsPerPrimaryProcessor * primaryProcessors).toBeCloseTo(5_000, 5);
    expect(primaryProcessors).toBeCloseTo((4_500 * 300 + 500 * 400) / 1e6 / 0.6, 5);
    expect(rest).toEqual({ busyConnections: 20, connections: 22, earlyReads: 0 });
  });

  it("distributes reads over replicas, except those of clients that have just written, and repeats writes on each", () => {
    const { primaryProcessors, replicaProcessors, earlyReads } = calculateCapacity({ ...load, replicas: 2 });
    expect(earlyReads).toBeCloseTo(0.01, 5);
    expect(primaryProcessors).toBeCloseTo((500 * 400 + 45 * 300) / 1e6 / 0.6, 5);
    expect(replicaProcessors).toBeCloseTo((500 * 400 + (4_455 * 300) / 2) / 1e6 / 0.6, 5);
  });

  it("serves more requests per processor of the primary with replicas", () => {
    const { requestsPerPrimaryProcessor: alone } = calculateCapacity(load);
    expect(calculateCapacity({ ...load, replicas: 2 }).requestsPerPrimaryProcessor / alone).toBeCloseTo(310 / 42.7, 5);
    expect([throughput(2, 250), throughput(0.5, 250)]).toEqual([8_000, 2_000]);
  });

  it("sends all reads after writes to the primary if replicas are behind for longer than a pause", () => {
    expect(calculateCapacity({ ...load, replicas: 1, lagMs: 10_000 }).earlyReads).toBe(0.1);
  });
});
