import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeKey, makeToken, startIssuer } from "../../../scripts/test/fake-issuer.js";
import { type AuthConfig, callerOf, type IssuerClaims, ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

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
    response.json({ id: caller?.id, roles: caller?.roles, namedBy: caller?.namedBy, user: request.user });
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
  const ask = async (
    token: string | undefined,
    path = "/who",
    method = "GET",
    headers: Record<string, string> = {},
  ) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.url}${path}`, { method, headers: { ...authorization, ...headers } });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ...service, ask };
}

describe("C72 access tokens of others", () => {
  it("C72 sign in whom their issuer names, with roles and discovery as with our own", async () => {
    const { ask } = await start();
    const token = one.sign({ roles: ["PRINTER"] });
    expect(await ask(token)).toMatchObject({
      status: 200,
      body: { id: "ada", roles: ["PRINTER"], namedBy: one.issuer, user: { name: "ada" } },
    });
    expect((await ask(token)).headers.get("cache-control")).toBe("private, no-cache");
    expect((await ask(two.sign())).body).toMatchObject({ id: "ada", namedBy: two.issuer });
    expect((await ask(undefined)).status).toBe(401);
    expect((await ask(token, "/print", "POST")).status).toBe(200);
    expect((await ask(one.sign(), "/print", "POST")).status).toBe(403);
    const { data } = (await ask(one.sign(), "/api/available-routes")).body as {
      data: { path: string; allowed: boolean }[];
    };
    expect(data.filter(({ path }) => ["/who", "/print"].includes(path)).map(({ allowed }) => allowed)).toEqual([
      true,
      false,
    ]);
    expect((await ask(token, "/api/auth/login", "POST")).status).toBe(404);
  });

  it("C72 of one issuer are never taken for another's, whatever they say of their key", async () => {
    const { ask } = await start();
    const [first, second] = [one.key, two.key];
    expect((await ask(one.sign({ iss: two.issuer }))).status).toBe(401);
    expect((await ask(one.sign({ iss: two.issuer }, first, { kid: "second" }))).status).toBe(401);
    expect((await ask(one.sign({}, second, { kid: "first" }))).status).toBe(401);
    const jku = { kid: "first", jku: `${two.issuer}/keys`, jwk: second.jwk, x5u: two.issuer };
    expect((await ask(one.sign({}, second, jku))).status).toBe(401);
    expect((await ask(one.sign({ iss: "https://somebody.else" }))).status).toBe(401);
    expect((await ask(one.sign({ iss: `${one.issuer}/` }))).status).toBe(401);
  });

  it("C72 with a shared secret, a public key as secret, or no signature are refused", async () => {
    const { ask } = await start();
    const { jwk, kid, publicKey } = one.key;
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    for (const secret of [pem, JSON.stringify(jwk), "", "0123456789abcdef".repeat(4)]) {
      const forge = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();
      for (const header of [{ alg: "HS256", kid }, { alg: "HS256" }, { alg: "ES256", kid }])
        expect((await ask(makeToken(header, one.claimsWith({}), forge))).status).toBe(401);
    }
    for (const alg of ["none", "None", ""])
      expect((await ask(makeToken({ alg, kid }, one.claimsWith({}), () => Buffer.alloc(0)))).status).toBe(401);
    expect((await ask("a.b.c")).status).toBe(401);
    expect((await ask("x")).status).toBe(401);
  });

  it("C72 whose issuer cannot be reached are 503, not 401, and it is not asked for each of them", async () => {
    const away = await startIssuer(makeKey("away"));
    const token = away.sign();
    away.state.status = 500;
    const { ask } = await start({ issuers: [{ issuer: away.issuer, audience: "shop", user }] });
    for (let turn = 0; turn < 10; turn++) {
      const { status, body, headers } = await ask(token);
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "IssuerUnavailable", "10"]);
    }
    expect(away.state.asked).toBe(1);
    await away.close();
  });

  it("C72 with keys that nobody knows make us ask for them once in a while only", async () => {
    const many = await startIssuer(makeKey("known"));
    const { ask } = await start({ issuers: [{ issuer: many.issuer, audience: "shop", user }] });
    expect((await ask(many.sign())).status).toBe(200);
    const stranger = makeKey("stranger");
    for (let turn = 0; turn < 20; turn++)
      expect((await ask(many.sign({}, stranger, { kid: `k${turn}` }))).status).toBe(401);
    expect(many.state.asked).toBeLessThan(6);
    expect((await ask(many.sign())).status).toBe(200);
    await many.close();
  });

  it("C72 are what the document shows: no cookie without accounts, no key without a model for it, nothing of what only a function knows", async () => {
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

  it("C72 stand beside our own: a token of ours with their kid, theirs with ours, and what a function refuses", async () => {
    const { ask } = await start({
      issuers: [{ issuer: one.issuer, audience: ["shop", "desk"], user: () => undefined }],
    });
    expect((await ask(one.sign())).status).toBe(401);
    const broken = await start({ issuers: [{ issuer: one.issuer, audience: "shop", user: () => ({ id: "" }) }] });
    expect((await broken.ask(one.sign())).status).toBe(500);
  });
});

describe("C72 callers that a function names", () => {
  const identify: AuthConfig["identify"] = async ({ headers }) =>
    headers.cookie === undefined ? undefined : { id: 7, roles: ["PRINTER"], user: { name: headers.cookie } };

  it("C72 are callers like any other, and pages elsewhere do nothing with their cookie", async () => {
    const { ask } = await start({ issuers: [], identify });
    const cookie = { cookie: "ada" };
    expect(await ask(undefined, "/who", "GET", cookie)).toMatchObject({
      status: 200,
      body: { id: 7, namedBy: "identify", user: { name: "ada" } },
    });
    expect((await ask(undefined, "/print", "POST", cookie)).status).toBe(200);
    const foreign = { ...cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const refused = await ask(undefined, "/print", "POST", foreign);
    expect([refused.status, refused.body.code]).toEqual([403, "CrossSiteRequest"]);
    const basic = { ...cookie, authorization: "Basic YTpi" };
    expect((await ask(undefined, "/who", "GET", basic)).status).toBe(200);
    expect((await ask(undefined, "/print", "POST", { ...foreign, ...basic })).status).toBe(403);
    expect((await ask(undefined)).status).toBe(401);
  });

  it("C72 leave tokens of issuers to those", async () => {
    const { ask } = await start({ identify });
    expect((await ask(one.sign())).body).toMatchObject({ id: "ada", namedBy: one.issuer });
  });
});

describe("C72 the start names what is wrong with them", () => {
  it.each<{ what: string; said: Partial<AuthConfig>; message: RegExp; environment?: Record<string, string> }>([
    {
      what: "nobody who names callers",
      said: { issuers: [] },
      message: /accounts: is false, and neither issuers nor identify/,
    },
    {
      what: "an issuer that stands there twice",
      said: { issuers: ["a", "b"].map((audience) => ({ issuer: "https://a.example", audience, user })) },
      message: /issuers\[1\]\.issuer: https:\/\/a\.example stands in the list already/,
    },
    {
      what: "keys without TLS in production",
      said: { issuers: [{ issuer: "http://a.example", audience: "a", user }] },
      message: /http:\/\/a\.example is read without TLS/,
      environment: { NODE_ENV: "production" },
    },
    {
      what: "a misspelt key, with the nearest",
      said: { issuers: [{ issuer: "https://a.example", audience: "a", user, jwksUrl: "https://a.example" } as never] },
      message: /jwksUri/,
    },
    { what: "what is no function", said: { issuers: [], identify: "yes" as never }, message: /identify/ },
  ])("C72 $what", async ({ said, message, environment }) => {
    await expect(start(said, environment)).rejects.toThrow(message);
  });
});
