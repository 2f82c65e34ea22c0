import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Problem } from "../api.js";

describe.each(oneOf(["static", "dynamic"] as const))("C49 with %s accounts, a repeated request", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    // All of them wait for a few connections.
    shop = await startAccounts({
      database,
      accounts,
      config: { timeouts: { poolWait: 120_000, request: 170_000 } },
    });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  const key = (value = randomUUID()) => ({ "idempotency-key": value });
  const tag = () => ({ name: `tag ${randomUUID()}` });
  const tagsOf = ({ name }: { name: string }) => database.client.tag.count({ where: { name: { startsWith: name } } });

  it("C49 sent 200 times concurrently writes one row, and gets its response or 409", async () => {
    const [own, body] = [key(), tag()];
    // Signed in once.
    await shop.as("root", "GET", "/api/tags");
    const all = await Promise.all(Array.from({ length: 200 }, () => shop.as("root", "POST", "/api/tags", body, own)));
    expect(await tagsOf(body)).toBe(1);
    expect(all.filter(({ status, headers }) => status === 201 && !headers.has("idempotency-replayed"))).toHaveLength(1);
    expect([...new Set(all.map(({ status }) => status))].filter((status) => status !== 201 && status !== 409)).toEqual(
      [],
    );
    expect(new Set(all.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
  });

  it("C49 with another caller's key gets nothing of the other's response, signed in or not", async () => {
    const [own, { orderId }] = [key(), await database.own("ada")];
    const read = `/api/orders/${orderId}`;
    const body = tag();
    expect((await shop.as("root", "POST", "/api/tags", body, own)).status).toBe(201);
    // An editor may create tags: the request counts as a new one, and the name is taken.
    for (const [other, status] of [["ada", 403] as const, ["edda", 409] as const, [undefined, 401] as const]) {
      const reported = await shop.as<Problem>(other, "POST", "/api/tags", body, own);
      expect([reported.status, reported.headers.get("idempotency-replayed")]).toEqual([status, null]);
      expect(reported.text).not.toContain(body.name);
    }
    expect((await shop.as(undefined, "PATCH", read, {}, own)).status).toBe(401);
  });

  it("C49 of a caller who has lost the permission is rejected before the response is looked up", async () => {
    const [own, body] = [key(), tag()];
    const { id } = await database.client.user.findUniqueOrThrow({ where: { username: "root" } });
    const token = await shop.tokenOf("root");
    expect((await shop.call("POST", "/api/tags", body, { ...bearer(token), ...own })).status).toBe(201);
    await database.client.user.update({ where: { id }, data: { isSuperUser: false, role: "CUSTOMER" } });
    const reported = await shop.call<Problem>("POST", "/api/tags", body, { ...bearer(token), ...own });
    await database.client.user.update({ where: { id }, data: { isSuperUser: true } });
    expect([reported.status, reported.headers.get("idempotency-replayed")]).toEqual([403, null]);
  });

  it("C49 with another body under the same key is 422, whatever is inserted", async () => {
    const [own, body] = [key(), tag()];
    expect((await shop.as("root", "POST", "/api/tags", body, own)).status).toBe(201);
    for (const other of [{ name: `${body.name}!` }, [body], {}, { ...body, name: body.name.toUpperCase() }]) {
      const reported = await shop.as<Problem>("root", "POST", "/api/tags", other, own);
      expect([reported.status, reported.body.code]).toEqual([422, "IdempotencyKeyReused"]);
    }
    expect(await tagsOf(body)).toBe(1);
  });

  it("C49 has no route that reads or writes keys or responses", async () => {
    for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
      for (const path of ["/api/idempotency-keys", "/api/idempotency-keys/many", "/api/idempotency-keys/1"]) {
        expect((await shop.as("root", method, path, method === "GET" ? undefined : {})).status, path).toBe(404);
      }
    }
    const own = key();
    await shop.as("root", "POST", "/api/tags", tag(), own);
    const rows = await database.client.idempotencyKey.findMany();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(own["idempotency-key"]);
  });
});
