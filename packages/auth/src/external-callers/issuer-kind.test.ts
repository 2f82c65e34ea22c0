import type { HttpError } from "@servicekit/core";
import type { Request } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey, makeToken, startIssuer } from "../../../../scripts/test/fake-issuer.js";
import type { ExternalCaller } from "../configuration/external-caller.js";
import { findExternalIssues } from "../configuration/external-issues.js";
import type { TokenIssuer } from "../configuration/token-issuer.js";
import { makeIdentifyKind, rejectionKind } from "./identify-kind.js";
import { makeIssuerKind } from "./issuer-kind.js";
import { toSignedIn } from "./to-signed-in.js";

type Issuer = Awaited<ReturnType<typeof startIssuer>>;

let [one, two]: Issuer[] = [];
beforeAll(async () => {
  [one, two] = await Promise.all([startIssuer(makeKey("first")), startIssuer(makeKey("second"))]);
});
afterAll(() => Promise.all([one?.close(), two?.close()]));

const user: TokenIssuer["user"] = ({ sub, roles }) =>
  sub === "nobody" ? undefined : { id: sub, roles: roles as string[] };
const requestWith = (authorization?: string): Request => ({ headers: { authorization } }) as Request;

/** Reads a token by the issuers; returns its caller, or the code of its error. */
async function read(
  token: string,
  more: Partial<TokenIssuer> = {},
  issuers: readonly (Issuer | undefined)[] = [one, two],
) {
  const kind = makeIssuerKind(
    issuers.flatMap((each) => (each === undefined ? [] : { issuer: each.issuer, audience: "shop", user, ...more })),
  );
  const credential = await kind(requestWith(`Bearer ${token}`));
  if (credential === undefined) return undefined;
  return credential.verify().then(
    ({ caller }) => caller,
    (error: HttpError) => ({ status: error.status, code: error.code }),
  );
}
const rejected = { status: 401 };

describe("C72 the token of an issuer", () => {
  it("C72 identifies the caller with the roles that the configuration reads from it", async () => {
    expect(await read(one?.sign({ roles: ["READER"] }) ?? "")).toEqual({
      ...{ id: "ada", roles: ["READER"], isSuperUser: false, user: {}, identifiedBy: one?.issuer },
    });
    expect(await read(two?.sign({ roles: [] }) ?? "")).toMatchObject({ id: "ada", identifiedBy: two?.issuer });
  });

  it("C72 belongs to no issuer when it names another one, is too long or no token at all", async () => {
    const kind = makeIssuerKind([{ issuer: one?.issuer ?? "", audience: "shop", user }]);
    expect(await read(one?.sign({ iss: "https://other.example" }) ?? "")).toBeUndefined();
    expect(await read("a.b.c")).toBeUndefined();
    expect(await read(one?.sign({ more: "x".repeat(16_384) }) ?? "")).toBeUndefined();
    for (const header of [undefined, "Basic abc", "Bearer", "Bearer a b", `Token ${one?.sign()}`])
      expect(await kind(requestWith(header)), header).toBeUndefined();
    expect((await kind(requestWith(`bearer  ${one?.sign()}`)))?.through).toBe("header");
  });

  it.each<readonly [what: string, claims: object, header: object]>([
    ["of another audience", { aud: "another" }, {}],
    ["without an audience", { aud: undefined }, {}],
    ["that has expired", { exp: 1 }, {}],
    ["that never expires", { exp: undefined }, {}],
    ["that is not valid yet", { nbf: 4_000_000_000 }, {}],
    ["without a subject", { sub: undefined }, {}],
    ["with an empty subject", { sub: "" }, {}],
    ["with a subject that is not text", { sub: 7 }, {}],
    ["with a subject that no database stores", { sub: "a\0b" }, {}],
    ["bound to a key of the client", { cnf: { jkt: "x" } }, {}],
    ["of a user that the configuration rejects", { sub: "nobody" }, {}],
    ["of another type", {}, { typ: "logout+jwt" }],
    ["with a critical header that is unknown", {}, { crit: ["x"], x: 1 }],
  ])("C72 %s is rejected", async (_what, claims, header) => {
    expect(await read(one?.sign(claims, one.key, header) ?? "")).toMatchObject(rejected);
  });

  it.each(["JWT", "at+jwt", "application/AT+JWT"])("C72 of the type %s is accepted", async (typ) => {
    expect(await read(one?.sign({}, one.key, { typ }) ?? "")).toMatchObject({ id: "ada" });
  });

  it("C72 may have one of several audiences, and clocks that differ by a few seconds", async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await read(one?.sign({ aud: ["x", "b"] }) ?? "", { audience: ["a", "b"] })).toMatchObject({ id: "ada" });
    expect(await read(one?.sign({ exp: now - 2 }) ?? "")).toMatchObject({ id: "ada" });
    expect(await read(one?.sign({ exp: now - 60 }) ?? "")).toMatchObject(rejected);
  });

  it("C72 is never accepted from another issuer's key, nor unsigned", async () => {
    if (one === undefined || two === undefined) throw new Error("Both issuers run.");
    expect(await read(one.sign({}, two.key, { kid: "first" }))).toMatchObject(rejected);
    expect(await read(one.sign({ iss: two.issuer }))).toMatchObject(rejected);
    const unsigned = makeToken({ alg: "none", kid: "first" }, one.claimsWith({}), () => Buffer.alloc(0));
    expect(await read(unsigned)).toMatchObject(rejected);
  });

  it("C72 is 503 while the issuer is unavailable, which is requested once meanwhile", async () => {
    const away = await startIssuer(makeKey("away"));
    away.state.status = 500;
    const kind = makeIssuerKind([{ issuer: away.issuer, audience: "shop", user }]);
    for (let turn = 0; turn < 3; turn++) {
      const credential = await kind(requestWith(`Bearer ${away.sign()}`));
      const error = await credential?.verify().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 503, code: "IssuerUnavailable", headers: { "Retry-After": "10" } });
    }
    expect(away.state.requested).toBe(1);
    await away.close();
  });

  it("C72 is verified with keys that are read once, at jwksUri when it is configured", async () => {
    const other = await startIssuer(makeKey("other"));
    const kind = makeIssuerKind([{ issuer: other.issuer, audience: "shop", jwksUri: `${other.issuer}/keys`, user }]);
    for (let turn = 0; turn < 3; turn++)
      expect((await (await kind(requestWith(`Bearer ${other.sign()}`)))?.verify())?.caller.id).toBe("ada");
    expect(other.state.requested).toBe(1);
    await other.close();
  });
});

describe("C72 a caller that the application names", () => {
  it.each([7, 7n, "ada"])("C72 may have the id %s", (id) => {
    expect(toSignedIn({ id }, undefined)).toEqual({
      caller: { id, roles: [], isSuperUser: false, user: {}, identifiedBy: "identify" },
      permissions: [],
    });
  });

  it.each<unknown>([
    { id: "" },
    { id: 1.5 },
    { id: undefined },
    { id: 1, roles: "READER" },
    { id: 1, roles: [1] },
    { id: 1, isSuperUser: "yes" },
  ])("C72 may not be %o", (named) => {
    expect(() => toSignedIn(named as ExternalCaller, "x")).toThrow(TypeError);
  });

  it("C72 is identified by header or cookie, or anonymous", async () => {
    const kind = makeIdentifyKind((request) =>
      request.headers.authorization === "none" ? undefined : { id: 1, isSuperUser: true, roles: ["A"] },
    );
    const bearer = await kind(requestWith("Bearer x"));
    expect([bearer?.through, (await kind(requestWith()))?.through, await kind(requestWith("none"))]).toEqual([
      ...["header", "cookie", undefined],
    ]);
    expect((await bearer?.verify())?.caller).toMatchObject({ id: 1, isSuperUser: true, roles: ["A"] });
  });

  it("C72 a bearer token of an unknown issuer is rejected, other requests are anonymous", async () => {
    const credential = await rejectionKind(requestWith("Bearer x"));
    expect(credential?.through).toBe("header");
    await expect(credential?.verify()).rejects.toMatchObject(rejected);
    expect([await rejectionKind(requestWith()), await rejectionKind(requestWith("Basic x"))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("C72 the configuration of issuers", () => {
  const issuer = (address: string, jwksUri?: string): TokenIssuer => ({
    ...{ issuer: address, audience: "shop", user },
    ...(jwksUri === undefined ? {} : { jwksUri }),
  });
  const placesOf = (config: Partial<Parameters<typeof findExternalIssues>[0]>, nodeEnv = "production") =>
    findExternalIssues({ mode: "static", ...config }, { nodeEnv }).map(({ where }) => where);

  it("C72 needs issuers or identify without accounts", () => {
    expect(placesOf({ accounts: false })).toEqual(["authentication.accounts"]);
    expect(placesOf({ accounts: false, identify: () => undefined })).toEqual([]);
    expect(placesOf({ accounts: false, issuers: [issuer("https://a.example")] })).toEqual([]);
    expect(placesOf({})).toEqual([]);
  });

  it("C72 names each issuer once, and not the service itself", () => {
    const [a, b] = [issuer("https://a.example"), issuer("https://b.example")];
    expect(placesOf({ issuers: [a, b, a] })).toEqual(["authentication.issuers[2].issuer"]);
    expect(placesOf({ issuers: [a, b], jwt: { issuer: "https://b.example" } })).toEqual([
      "authentication.issuers[1].issuer",
    ]);
  });

  it.each([
    ["http://a.example", true],
    ["http://localhost:8080", false],
    ["http://app.localhost", false],
    ["http://127.0.0.1", false],
    ["http://[::1]:1", false],
    ["http://localhost.example", true],
    ["https://a.example", false],
  ])("C72 %s is an error in production: %s", (address, isError) => {
    const expected = isError ? ["authentication.issuers[0]"] : [];
    expect(placesOf({ issuers: [issuer(address)] })).toEqual(expected);
    expect(placesOf({ issuers: [issuer("https://a.example", address)] })).toEqual(expected);
    expect(placesOf({ issuers: [issuer(address)] }, "development")).toEqual([]);
  });
});
