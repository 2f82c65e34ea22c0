import { StartupError } from "@servicekit/core";
import { makeRouteTable } from "@servicekit/router";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeKey, startIssuer } from "../../../scripts/test/fake-issuer.js";
import { type AuthConfig, type ExternalCaller, makeAuth } from "../src/index.js";
import { type Served, serveAuth, settingsOf } from "./serve-auth.js";

let issuer: Awaited<ReturnType<typeof startIssuer>>;
beforeAll(async () => {
  issuer = await startIssuer(makeKey("first"));
});
afterAll(() => issuer.close());

const served: Served[] = [];
afterEach(async () => {
  for (const one of served.splice(0)) await one.stop();
});
async function serve(config: Partial<AuthConfig>): Promise<Served> {
  const one = await serveAuth({ config: { accounts: false, ...config } });
  served.push(one);
  return one;
}
const user = ({ sub, roles }: { sub: string; [claim: string]: unknown }): ExternalCaller => ({
  id: sub,
  roles: (roles as string[] | undefined) ?? [],
});
const issuers = () => [{ issuer: issuer.issuer, audience: "shop", user }];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("C72 authentication without accounts", () => {
  it("C72 admits callers of an issuer by their roles", async () => {
    const { api } = await serve({ issuers: issuers() });
    const statusOf = async (path: string, headers: Record<string, string> = {}) =>
      (await api.get(`/api${path}`).set(headers)).status;
    const [reader, editor] = [bearer(issuer.sign()), bearer(issuer.sign({ roles: ["EDITOR"] }))];
    expect([await statusOf("/signed-in"), await statusOf("/signed-in", reader)]).toEqual([401, 200]);
    expect([await statusOf("/edit", reader), await statusOf("/edit", editor)]).toEqual([403, 200]);
    expect([await statusOf("/closed", editor), await statusOf("/any", reader)]).toEqual([403, 200]);
    expect([await statusOf("/public"), await statusOf("/public", bearer("nonsense"))]).toEqual([200, 200]);
    expect(await statusOf("/optional", bearer("nonsense"))).toBe(401);
    expect((await api.get("/api/signed-in").set(reader)).body).toMatchObject({ id: "ada", roles: [] });
  });

  it("C72 admits callers that the application identifies", async () => {
    const { api } = await serve({
      identify: ({ headers }) => (headers["x-user"] === undefined ? undefined : { id: 7, roles: ["EDITOR"] }),
    });
    expect((await api.get("/api/edit")).status).toBe(401);
    expect((await api.get("/api/edit").set({ "x-user": "7" })).body).toMatchObject({ id: "7", roles: ["EDITOR"] });
  });

  it("C72 has no routes of accounts, and documents the credentials that it accepts", async () => {
    const { auth, api } = await serve({ issuers: issuers() });
    expect(makeRouteTable(auth.router as object).entries).toEqual([]);
    expect((await api.post("/api/auth/login").send({})).status).toBe(404);
    expect([auth.credentialsOf(), auth.needsRevocations]).toEqual([["bearer"], false]);
    expect(await auth.transformWrite("User", { password: "plain" })).toEqual({ password: "plain" });
    const identified = await serve({ identify: () => undefined });
    expect(identified.auth.credentialsOf()).toEqual([]);
  });

  it("C72 reports what belongs to the routes of accounts as startup errors", () => {
    const settings = settingsOf({ accounts: false, issuers: issuers() });
    const make = () => makeAuth({ settings, hooks: { beforeLogin: () => undefined } as never, log: () => undefined });
    expect(make).toThrow(StartupError);
    expect(make).toThrow("models.auth.hooks");
  });
});
