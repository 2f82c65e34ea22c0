import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { makeKey, makeToken, signedBy, startIssuer } from "../../../../scripts/test/fake-issuer.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  secret,
  startAccounts,
} from "../accounts/account-shop.js";
import { claimsOf } from "../accounts/forge.js";
import type { Problem } from "../api.js";

describe.each(inject("accounts"))("C72 with %s accounts and two issuers beside them", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  let one: Awaited<ReturnType<typeof startIssuer>>;
  let two: typeof one;
  beforeAll(async () => {
    one = await startIssuer(makeKey("one"));
    two = await startIssuer(makeKey("two"));
    const permissions = [{ resource: "tag", action: "Create" }];
    const issuers = [one, two].map(({ issuer }) => ({
      issuer,
      audience: "shop",
      user: ({ sub }: { sub: string }) => ({ id: Number(sub), roles: ["STAFF"], permissions, user: {} }),
    }));
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts, authentication: { issuers } });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
    await Promise.all([one?.close(), two?.close()]);
  });

  const call = (token: string) => shop.call<Problem>("GET", "/api/available-routes", undefined, bearer(token));

  it("C72 a token belongs to its issuer alone, and ours to us", async () => {
    const { id } = await database.own("ada");
    const sub = String(id);
    expect((await call(one.sign({ sub }))).status).toBe(200);
    expect((await call(await shop.tokenOf("ada"))).status).toBe(200);
    const theirs = [
      one.sign({ sub, iss: two.issuer }),
      one.sign({ sub, iss: two.issuer }, one.key, { kid: "two" }),
      one.sign({ sub }, two.key, { kid: "one" }),
      two.sign({ sub }, one.key, { kid: "two" }),
    ];
    for (const token of theirs) expect((await call(token)).status).toBe(401);
  });

  it("C72 neither our secret signs their tokens, nor their key ours, with any key id and algorithm", async () => {
    const ours = await shop.tokenOf("ada");
    const claims = claimsOf(ours);
    const withSecret = (key: string) => (text: string) => createHmac("sha256", key).update(text).digest();
    const pem = one.key.publicKey.export({ type: "spki", format: "pem" }).toString();
    const forged = [
      makeToken({ alg: "HS256", kid: "one" }, { ...one.claimsWith(claims), exp: claims.exp }, withSecret(secret)),
      makeToken({ alg: "HS256", kid: "one" }, one.claimsWith({ sub: claims.sub }), withSecret(pem)),
      makeToken({ alg: "ES256", kid: "one" }, claims, signedBy(one.key)),
      makeToken({ alg: "HS256" }, claims, withSecret(pem)),
      makeToken({ alg: "ES256", typ: "JWT" }, claims, signedBy(one.key)),
    ];
    for (const token of forged) expect((await call(token)).status).toBe(401);
  });

  it("C72 external callers have no account here, whatever their id is", async () => {
    const { id } = await database.own("ada");
    const token = one.sign({ sub: String(id) });
    for (const [method, path] of [
      ["GET", "/api/users/me"],
      ["PATCH", "/api/users/me"],
      ["DELETE", "/api/users/me"],
      ["POST", "/api/auth/update-password"],
    ] as const) {
      const body = /GET|DELETE/.test(method) ? undefined : { currentPassword: "x", newPassword: "a long new password" };
      const reported = await shop.call<Problem>(method, path, body, bearer(token));
      expect([reported.status, reported.body.code], path).toEqual([403, "AuthenticationRequired"]);
    }
  });

  it("C49 C72 one id of two issuers is two callers: neither gets the other's stored response", async () => {
    const key = { "idempotency-key": randomUUID() };
    const body = { name: `tag ${randomUUID()}` };
    const send = (token: string) => shop.call<Problem>("POST", "/api/tags", body, { ...bearer(token), ...key });
    expect((await send(one.sign({ sub: "1" }))).status).toBe(201);
    expect((await send(one.sign({ sub: "1" }))).headers.get("idempotency-replayed")).toBe("true");
    const other = await send(two.sign({ sub: "1" }));
    expect([other.status, other.headers.get("idempotency-replayed")]).toEqual([409, null]);
  });
});
