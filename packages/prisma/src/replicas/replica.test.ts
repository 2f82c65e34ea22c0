import { describe, expect, it } from "vitest";
import type { Database } from "../database/make-database.js";
import { Replica } from "./replica.js";
import { WalHistory } from "./wal-history.js";

type Checked = object | Error;

/** A replica whose checks get the results in order, the last one again and again. */
function replicaWith(results: Checked[], { history = new WalHistory(), maxLagMs = 1_000 } = {}) {
  const changes: string[] = [];
  const query = async () => {
    const result = (results.length > 1 ? results.shift() : results[0]) as Checked;
    if (result instanceof Error) throw result;
    return [result];
  };
  const server = { name: "one", database: {} as Database, connections: { query, end: async () => undefined } };
  const replica = new Replica(server, history, maxLagMs, ({ issue }) => changes.push(issue ?? "in the rotation"));
  return { replica, changes };
}

const at = (position: string) => ({ standby: true, position, age: 0 });
const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

describe("C121 a replica", () => {
  it("is in the rotation after its first check, leaves it when it fails, and comes back", async () => {
    const { replica, changes } = replicaWith([at("0/64"), refused, refused, at("0/65")]);
    expect([replica.isInRotation, replica.issue]).toEqual([false, "not checked yet"]);
    await replica.check();
    expect([replica.isInRotation, replica.position]).toEqual([true, 100n]);
    for (let checks = 0; checks < 3; checks++) await replica.check();
    expect(replica.position).toBe(101n);
    expect(changes).toEqual(["in the rotation", "unavailable", "in the rotation"]);
  });

  it("leaves the rotation while it lags", async () => {
    const history = new WalHistory();
    history.add(100n, performance.now() - 60_000);
    history.add(200n, performance.now() - 50_000);
    const { replica, changes } = replicaWith([at("0/64"), at("0/C8")], { history });
    await replica.check();
    expect(replica.lagMs).toBeGreaterThanOrEqual(50_000);
    await replica.check();
    expect(replica.lagMs).toBe(0);
    expect(changes).toEqual(["lagging", "in the rotation"]);
  });

  it("that accepts writes is not in the rotation", async () => {
    const { replica } = replicaWith([{ standby: false, position: "0/64", age: 0 }]);
    await replica.check();
    expect(replica.issue).toBe("writable");
  });

  it("ends its running reads with a 503 as soon as it is unavailable", async () => {
    const { replica } = replicaWith([at("0/64"), refused]);
    await replica.check();
    const read = replica.run(() => new Promise<never>(() => undefined));
    expect(replica.outstanding).toBe(1);
    const failed = expect(read).rejects.toMatchObject({ status: 503, code: "DatabaseUnavailable", cause: refused });
    await replica.check();
    await failed;
    expect(await replica.run(async () => 5)).toBe(5);
  });

  it("shares a running check", async () => {
    const { replica, changes } = replicaWith([refused, at("0/64")]);
    await Promise.all([replica.check(), replica.check()]);
    expect(changes).toEqual(["unavailable"]);
  });
});
