import path from "node:path";
import { HttpError } from "@servicekit/core";
import { type Database, makeDatabase, readModels } from "@servicekit/prisma";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type Claim, type DatabaseKeys, makeDatabaseKeys, readKeyModel, type StoredResponse } from "../src/index.js";
import { PrismaClient } from "./generated/keys/client/client.js";
import { models as data } from "./generated/keys/models.js";

const models = readModels(data);
const model = readKeyModel(models);
if (model === undefined) throw new Error("The schema has the model IdempotencyKey.");
const request = { id: "one", fingerprint: "this" };
const response: StoredResponse = { status: 201, headers: { location: "/orders/1" }, body: { text: "{}" } };
const minute = 60_000;

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const schema = path.join(import.meta.dirname, "fixtures/keys/schema.prisma");
  const created = await createPushedDatabase(inject("postgresUrl"), schema);
  drop = created.drop;
  database = makeDatabase({ client: new PrismaClient({ adapter: makePostgresAdapter({ url: created.url }) }), models });
});
afterAll(async () => {
  await database?.disconnect();
  await drop?.();
});
beforeEach(async () => {
  await database.of(model).deleteMany({ where: {}, everything: true });
});

async function claim(keys: DatabaseKeys, requested = request): Promise<Claim> {
  const found = await keys.claim(requested);
  if (found.state !== "claimed") throw new Error(`The key is ${found.state}.`);
  return found.claim;
}
const row = () => database.of(model).findUnique({ where: { id: "one" } });
const millisecondsLeft = async (): Promise<number> => Number((await row())?.expiresAt) - Date.now();

describe("C49 keys in the database", () => {
  it("C49 are claimed by one of many simultaneous requests", async () => {
    const keys = makeDatabaseKeys(database, model);
    const all = await Promise.all(Array.from({ length: 8 }, () => keys.claim(request)));
    expect(all.map(({ state }) => state).sort()).toEqual(["claimed", ...Array(7).fill("running")]);
    expect(await keys.claim({ ...request, fingerprint: "that" })).toEqual({ state: "running", fingerprint: "this" });
  });

  it("C49 store a claim for a minute and a response for a day, and return it", async () => {
    const keys = makeDatabaseKeys(database, model);
    const stored = await claim(keys);
    expect(Math.round((await millisecondsLeft()) / minute)).toBe(1);
    expect(await keys.complete(stored, response)).toBe(true);
    expect(Math.round((await millisecondsLeft()) / minute)).toBe(24 * 60);
    expect(await keys.claim(request)).toEqual({ state: "completed", fingerprint: "this", response });
  });

  it("C49 are claimed again when the lease is over, and the first holder can no longer store or release", async () => {
    const [brief, keys] = [makeDatabaseKeys(database, model, { leaseMs: 0 }), makeDatabaseKeys(database, model)];
    const first = await claim(brief);
    const second = await claim(keys, { ...request, fingerprint: "that" });
    expect(await row()).toMatchObject({ holder: second.holder, fingerprint: "that", response: null });
    expect(await keys.complete(first, response)).toBe(false);
    await keys.release(first);
    expect((await keys.claim(request)).state).toBe("running");
    expect(await keys.complete(second, response)).toBe(true);
  });

  it("C49 whose lease is over are claimed by one of many simultaneous requests", async () => {
    await claim(makeDatabaseKeys(database, model, { leaseMs: 0 }));
    const keys = makeDatabaseKeys(database, model);
    const all = await Promise.all(Array.from({ length: 8 }, () => keys.claim(request)));
    expect(all.filter(({ state }) => state === "claimed")).toHaveLength(1);
  });

  it("C49 are free after a release, unless a response is stored", async () => {
    const keys = makeDatabaseKeys(database, model);
    await keys.release(await claim(keys));
    expect(await row()).toBeNull();
    const stored = await claim(keys);
    await keys.complete(stored, response);
    await keys.release(stored);
    expect((await keys.claim(request)).state).toBe("completed");
  });

  it("C49 store a response inside of a transaction only when it commits", async () => {
    const keys = makeDatabaseKeys(database, model);
    const stored = await claim(keys);
    const failing = database.transaction(async (inside) => {
      expect(await keys.completeInside(inside, stored, response)).toBe(true);
      throw new Error("undo");
    });
    await expect(failing).rejects.toThrow("undo");
    expect((await keys.claim(request)).state).toBe("running");
    await database.transaction((inside) => keys.completeInside(inside, stored, response));
    expect((await keys.claim(request)).state).toBe("completed");
  });

  it("C49 report inside of a transaction that the claim was taken over", async () => {
    const keys = makeDatabaseKeys(database, model);
    const stored = await claim(keys);
    const other = { ...stored, holder: "another" };
    expect(await database.transaction((inside) => keys.completeInside(inside, other, response))).toBe(false);
  });

  it("C149 deletes expired keys and returns their number", async () => {
    const keys = makeDatabaseKeys(database, model);
    await claim(makeDatabaseKeys(database, model, { leaseMs: -1 }), { ...request, id: "old" });
    await claim(keys);
    expect([await keys.deleteExpired(), await keys.deleteExpired()]).toEqual([1, 0]);
    expect(await row()).not.toBeNull();
  });

  it("C49 report a failure of the database, instead of a key in use", async () => {
    const schema = makeDatabaseKeys(database, model);
    const failed = [
      await schema.claim({ ...request, fingerprint: null as unknown as string }).catch((error: unknown) => error),
      await schema
        .complete({ ...(await claim(schema)), id: 5 as unknown as string }, response)
        .catch((error: unknown) => error),
    ];
    for (const error of failed) {
      expect(error).toBeInstanceOf(Error);
      expect(error instanceof HttpError && ["NotFound", "UniqueConstraint"].includes(error.code)).toBe(false);
    }
  });
});
