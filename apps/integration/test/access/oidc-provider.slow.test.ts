import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { callerOf, ServiceRouter } from "@servicekit/service";
import { afterEach, expect, it } from "vitest";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { freePort } from "../../../../scripts/test/free-port.js";

const { init, closeAll } = makeStarter();
const ends: (() => void)[] = [];
afterEach(async () => {
  await closeAll();
  for (const end of ends.splice(0)) end();
});

const resource = "https://api.example.com";

const makeJwk = (kid: string) => ({
  ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }),
  ...{ kid, alg: "RS256", use: "sig" },
});

interface ProviderModule {
  readonly default: new (issuer: string, settings: object) => { callback(): RequestListener };
}

/** An OpenID Connect provider whose machine clients get access tokens as JWT. */
async function makeProvider(issuer: string, keys: readonly object[]): Promise<RequestListener> {
  // It has no types.
  const { default: Provider } = (await import("oidc-provider" as string)) as ProviderModule;
  const provider = new Provider(issuer, {
    jwks: { keys: [...keys] },
    clients: [
      {
        client_id: "robot",
        client_secret: "a secret",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo: () => ({
          scope: "orders:read",
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 60,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    extraTokenClaims: () => ({ roles: ["READER"] }),
  });
  return provider.callback();
}

it("C72 access tokens of oidc-provider authenticate, also after its keys change", async () => {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  let handler = await makeProvider(issuer, [makeJwk("old")]);
  const server = createServer((request, response) => handler(request, response));
  ends.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await new Promise<void>((resolve) => server.listen(Number(new URL(issuer).port), "127.0.0.1", resolve));
  const tokenOf = async (scope?: string): Promise<string> => {
    const reply = await fetch(`${issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from("robot:a%20secret").toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", ...(scope && { scope }) }),
    });
    const { access_token: token } = (await reply.json()) as { access_token?: string };
    if (token === undefined) throw new Error(`The provider returned ${reply.status}.`);
    return token;
  };

  const router = ServiceRouter();
  router.get({ path: "/who", authentication: { resource: "order", action: "View", rule: ["READER"] } }, (req, res) => {
    res.json({ id: callerOf(req)?.id, roles: callerOf(req)?.roles });
  });
  const { url } = await init({
    authentication: {
      mode: "static",
      accounts: false,
      issuers: [
        {
          issuer,
          audience: resource,
          user: ({ sub, roles }) => ({ id: sub, roles: Array.isArray(roles) ? roles.map(String) : [] }),
        },
      ],
    },
    use: [router],
  });
  const call = async (token: string) => {
    const reply = await fetch(`${url}/who`, { headers: { authorization: `Bearer ${token}` } });
    return [reply.status, await reply.json()] as const;
  };

  const first = await tokenOf();
  expect(await call(first)).toEqual([200, { id: "robot", roles: ["READER"] }]);
  handler = await makeProvider(issuer, [makeJwk("new"), makeJwk("next")]);
  const second = await tokenOf();
  expect(JSON.parse(Buffer.from(second.split(".")[0] ?? "", "base64url").toString())).toMatchObject({ kid: "new" });
  // The keys are read again at most every ten seconds.
  await expect.poll(async () => (await call(second))[0], { interval: 500 }).toBe(200);
  expect((await call(first))[0]).toBe(401);
});
