import { createHmac } from "node:crypto";
import { type AuthConfig, callerOf, type IssuerClaims, ServiceRouter } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { makeKey, makeToken, startIssuer } from "../../../../scripts/test/fake-issuer.js";

const { init, closeAll } = makeStarter();
afterEach(closeAll);

let one: Awaited<ReturnType<typeof startIssuer>>;
let two: typeof one;
beforeAll(async () => {
  one = await startIssuer(makeKey("first"));
  two = await startIssuer(makeKey("second"));
});
afterAll(() => Promise.all([one.close(), two.close()]));

const user = ({ sub, roles }: IssuerClaims) => ({ id: sub, roles: (roles ?? []) as string[], user: { name: sub } });

function routes() {
  const router = ServiceRouter();
  router.get({ path: "/who", authentication: true }, (request, response) => {
    const caller = callerOf(request);
    response.json({ id: caller?.id, roles: caller?.roles, identifiedBy: caller?.identifiedBy, user: request.user });
  });
  const rule = { resource: "book", action: "Print", rule: ["PRINTER"] };
  router.post({ path: "/print", authentication: rule }, (_request, response) => void response.json({}));
  return router;
}

async function start(authentication: Partial<AuthConfig> = {}, environment: Record<string, string> = {}) {
  const issuers = [one, two].map(({ issuer }) => ({ issuer, audience: "shop", user }));
  const service = await init(
    { authentication: { mode: "static", accounts: false, issuers, ...authentication }, use: [routes()] },
    { environment: { NODE_ENV: "test", ...environment } },
  );
  const call = async (
    token: string | undefined,
    path = "/who",
    method = "GET",
    headers: Record<string, string> = {},
  ) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const reply = await fetch(`${service.url}${path}`, { method, headers: { ...authorization, ...headers } });
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Record<string, unknown> };
  };
  return { ...service, call };
}

describe("C72 access tokens of external issuers", () => {
  it("C72 authenticate the user of their issuer, with roles and discovery like our own", async () => {
    const { call } = await start();
    const token = one.sign({ roles: ["PRINTER"] });
    expect(await call(token)).toMatchObject({
      status: 200,
      body: { id: "ada", roles: ["PRINTER"], identifiedBy: one.issuer, user: { name: "ada" } },
    });
    expect((await call(token)).headers.get("cache-control")).toBe("private, no-cache");
    expect((await call(two.sign())).body).toMatchObject({ id: "ada", identifiedBy: two.issuer });
    expect((await call(undefined)).status).toBe(401);
    expect((await call(token, "/print", "POST")).status).toBe(200);
    expect((await call(one.sign(), "/print", "POST")).status).toBe(403);
    const { data } = (await call(one.sign(), "/api/available-routes")).body as {
      data: { path: string; allowed: boolean }[];
    };
    expect(data.filter(({ path }) => ["/who", "/print"].includes(path)).map(({ allowed }) => allowed)).toEqual([
      true,
      false,
    ]);
    expect((await call(token, "/api/auth/login", "POST")).status).toBe(404);
  });

  it("C72 of one issuer are never accepted for another, whatever key they name", async () => {
    const { call } = await start();
    const [first, second] = [one.key, two.key];
    expect((await call(one.sign({ iss: two.issuer }))).status).toBe(401);
    expect((await call(one.sign({ iss: two.issuer }, first, { kid: "second" }))).status).toBe(401);
    expect((await call(one.sign({}, second, { kid: "first" }))).status).toBe(401);
    const jku = { kid: "first", jku: `${two.issuer}/keys`, jwk: second.jwk, x5u: two.issuer };
    expect((await call(one.sign({}, second, jku))).status).toBe(401);
    expect((await call(one.sign({ iss: "https://somebody.else" }))).status).toBe(401);
    expect((await call(one.sign({ iss: `${one.issuer}/` }))).status).toBe(401);
  });

  it("C72 with a shared secret, a public key as secret, or no signature are rejected", async () => {
    const { call } = await start();
    const { jwk, kid, publicKey } = one.key;
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    for (const secret of [pem, JSON.stringify(jwk), "", "0123456789abcdef".repeat(4)]) {
      const forge = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();
      for (const header of [{ alg: "HS256", kid }, { alg: "HS256" }, { alg: "ES256", kid }])
        expect((await call(makeToken(header, one.claimsWith({}), forge))).status).toBe(401);
    }
    for (const alg of ["none", "None", ""])
      expect((await call(makeToken({ alg, kid }, one.claimsWith({}), () => Buffer.alloc(0)))).status).toBe(401);
    expect((await call("a.b.c")).status).toBe(401);
    expect((await call("x")).status).toBe(401);
  });

  it("C72 whose issuer cannot be reached are 503, not 401, and it is not called for each of them", async () => {
    const away = await startIssuer(makeKey("away"));
    const token = away.sign();
    away.state.status = 500;
    const { call } = await start({ issuers: [{ issuer: away.issuer, audience: "shop", user }] });
    for (let turn = 0; turn < 10; turn++) {
      const { status, body, headers } = await call(token);
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "IssuerUnavailable", "10"]);
    }
    expect(away.state.requested).toBe(1);
    await away.close();
  });

  it("C72 with unknown keys make the service read the keys only at intervals", async () => {
    const many = await startIssuer(makeKey("known"));
    const { call } = await start({ issuers: [{ issuer: many.issuer, audience: "shop", user }] });
    expect((await call(many.sign())).status).toBe(200);
    const anonymous = makeKey("anonymous");
    for (let turn = 0; turn < 20; turn++)
      expect((await call(many.sign({}, anonymous, { kid: `k${turn}` }))).status).toBe(401);
    expect(many.state.requested).toBeLessThan(6);
    expect((await call(many.sign())).status).toBe(200);
    await many.close();
  });

  it("C72 are documented: no cookie without accounts, no API key without a model for it", async () => {
    const shown = async (authentication: Partial<AuthConfig>) => {
      const { openapi } = await start(authentication);
      const document = (await openapi()) as unknown as {
        readonly security?: unknown;
        readonly components: { readonly securitySchemes?: object };
        readonly paths: Record<string, Record<string, { readonly security?: unknown }>>;
      };
      const { security = document.security } = document.paths["/who"]?.get ?? {};
      return [document.components.securitySchemes, security];
    };
    const bearer = { type: "http", scheme: "bearer", bearerFormat: "JWT" };
    expect(await shown({})).toEqual([{ bearer }, [{ bearer: [] }]]);
    const [schemes, security = []] = await shown({ issuers: [], identify: () => ({ id: "ada" }) });
    expect([schemes, security]).toEqual([undefined, []]);
  });

  it("C72 work next to our own: a token of ours with their key id, theirs with ours, and one that a function rejects", async () => {
    const { call } = await start({
      issuers: [{ issuer: one.issuer, audience: ["shop", "desk"], user: () => undefined }],
    });
    expect((await call(one.sign())).status).toBe(401);
    const broken = await start({ issuers: [{ issuer: one.issuer, audience: "shop", user: () => ({ id: "" }) }] });
    expect((await broken.call(one.sign())).status).toBe(500);
  });
});

describe("C72 callers identified by a function", () => {
  const identify: AuthConfig["identify"] = async ({ headers }) =>
    headers.cookie === undefined ? undefined : { id: 7, roles: ["PRINTER"], user: { name: headers.cookie } };

  it("C72 are callers like any other, and foreign pages cannot use their cookie", async () => {
    const { call } = await start({ issuers: [], identify });
    const cookie = { cookie: "ada" };
    expect(await call(undefined, "/who", "GET", cookie)).toMatchObject({
      status: 200,
      body: { id: 7, identifiedBy: "identify", user: { name: "ada" } },
    });
    expect((await call(undefined, "/print", "POST", cookie)).status).toBe(200);
    const foreign = { ...cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const rejected = await call(undefined, "/print", "POST", foreign);
    expect([rejected.status, rejected.body.code]).toEqual([403, "CrossSiteRequest"]);
    const basic = { ...cookie, authorization: "Basic YTpi" };
    expect((await call(undefined, "/who", "GET", basic)).status).toBe(200);
    expect((await call(undefined, "/print", "POST", { ...foreign, ...basic })).status).toBe(403);
    expect((await call(undefined)).status).toBe(401);
  });

  it("C72 leave tokens of issuers to those", async () => {
    const { call } = await start({ identify });
    expect((await call(one.sign())).body).toMatchObject({ id: "ada", identifiedBy: one.issuer });
  });
});

describe("C72 startup reports invalid issuers", () => {
  it.each<{ what: string; text: Partial<AuthConfig>; message: RegExp; environment?: Record<string, string> }>([
    {
      what: "no source of callers",
      text: { issuers: [] },
      message: /accounts: is false, and neither issuers nor identify/,
    },
    {
      what: "an issuer that is listed twice",
      text: { issuers: ["a", "b"].map((audience) => ({ issuer: "https://a.example", audience, user })) },
      message: /issuers\[1\]\.issuer: https:\/\/a\.example is listed twice/,
    },
    {
      what: "keys without TLS in production",
      text: { issuers: [{ issuer: "http://a.example", audience: "a", user }] },
      message: /http:\/\/a\.example is not read over TLS/,
      environment: { NODE_ENV: "production" },
    },
    {
      what: "a misspelt key, with the nearest",
      text: { issuers: [{ issuer: "https://a.example", audience: "a", user, jwksUrl: "https://a.example" } as never] },
      message: /jwksUri/,
    },
    { what: "what is no function", text: { issuers: [], identify: "yes" as never }, message: /identify/ },
  ])("C72 $what", async ({ text: output, message, environment }) => {
    await expect(start(output, environment)).rejects.toThrow(message);
  });
});
