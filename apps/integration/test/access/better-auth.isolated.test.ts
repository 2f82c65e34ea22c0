import { callerOf, ServiceRouter } from "@servicekit/service";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import { afterEach, expect, it } from "vitest";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { freePort } from "../../../../scripts/test/free-port.js";

const { init, closeAll } = makeStarter();
afterEach(closeAll);

/** The service of docs/guides/identity-providers.md, with users in memory. */
async function start() {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const users = betterAuth({
    baseURL: url,
    secret: "0123456789abcdef0123456789abcdef",
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    socialProviders: { google: { clientId: "shop", clientSecret: "a secret of Google" } },
    user: { additionalFields: { role: { type: "string", defaultValue: "READER", input: false } } },
    telemetry: { enabled: false },
  });
  const router = ServiceRouter();
  const signIn = toNodeHandler(users);
  // It reads the body itself.
  router.get({ path: "/api/auth/*path" }, signIn);
  router.post({ path: "/api/auth/*path", bodyParser: false }, signIn);
  router.get({ path: "/who", authentication: { resource: "book", action: "View", rule: ["READER"] } }, (req, res) => {
    const caller = callerOf(req);
    res.json({ id: caller?.id, roles: caller?.roles, email: caller?.user.email });
  });
  router.post(
    { path: "/print", authentication: { resource: "book", action: "Print", rule: ["PRINTER"] } },
    (_, res) => {
      res.json({});
    },
  );
  const service = await init({
    port,
    host: "localhost",
    authentication: {
      mode: "static",
      accounts: false,
      identify: async ({ headers }) => {
        const session = await users.api.getSession({ headers: fromNodeHeaders(headers) });
        return session === null
          ? undefined
          : { id: session.user.id, roles: [session.user.role ?? "READER"], user: session.user };
      },
    },
    use: [router],
  });
  return { ...service, url };
}

it("C72 a user who signs in with Better Auth is the caller of every route until the sign-out", async () => {
  const { url } = await start();
  const call = async (method: string, path: string, cookie = "", body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { origin: url, cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie().map((one) => one.split(";")[0]);
    return { status: response.status, cookie: cookies.join("; "), body: JSON.parse((await response.text()) || "{}") };
  };
  const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
  expect((await call("GET", "/who")).status).toBe(401);
  const { status, cookie } = await call("POST", "/api/auth/sign-up/email", "", ada);
  expect(status).toBe(200);
  const who = await call("GET", "/who", cookie);
  expect([who.status, who.body]).toEqual([200, { id: expect.any(String), roles: ["READER"], email: ada.email }]);
  expect((await call("POST", "/print", cookie, {})).status).toBe(403);
  const routes = await call("GET", "/api/available-routes", cookie);
  const data = routes.body.data as { path: string; allowed: boolean }[];
  expect(data.find(({ path }) => path === "/who")?.allowed).toBe(true);
  expect(data.find(({ path }) => path === "/print")?.allowed).toBe(false);
  const again = await call("POST", "/api/auth/sign-in/email", "", { email: ada.email, password: ada.password });
  expect((await call("GET", "/who", again.cookie)).status).toBe(200);
  expect((await call("POST", "/api/auth/sign-in/email", "", { email: ada.email, password: "wrong one" })).status).toBe(
    401,
  );
  expect((await call("POST", "/api/auth/sign-out", cookie, {})).status).toBe(200);
  expect((await call("GET", "/who", cookie)).status).toBe(401);
  expect((await call("GET", "/who", again.cookie)).status).toBe(200);
});

it("C72 a sign-in with Google leads to its page, which returns to the route of Better Auth", async () => {
  const { url } = await start();
  const response = await fetch(`${url}/api/auth/sign-in/social`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ provider: "google", callbackURL: "/" }),
  });
  expect(response.status).toBe(200);
  const { origin, searchParams } = new URL((await response.json()).url);
  expect([origin, searchParams.get("client_id")]).toEqual(["https://accounts.google.com", "shop"]);
  expect(searchParams.get("redirect_uri")).toBe(`${url}/api/auth/callback/google`);
  const [cookie = ""] = response.headers.getSetCookie();
  const query = `error=access_denied&state=${searchParams.get("state")}`;
  const returned = await fetch(`${url}/api/auth/callback/google?${query}`, { redirect: "manual", headers: { cookie } });
  expect([returned.status, returned.headers.get("location")]).toEqual([302, expect.stringContaining("access_denied")]);
});
