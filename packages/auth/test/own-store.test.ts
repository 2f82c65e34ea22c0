import { EventEmitter, once } from "node:events";
import { ormErrors } from "@servicekit/prisma/internal";
import { callerOf, makeRouteTable } from "@servicekit/router";
import type { Request, Response } from "express";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AuthOptions,
  type ExpiringStore,
  makeSharedRevokedTokens,
  type UserRecord,
  type UserStore,
} from "../src/index.js";
import { type Served, serveAuth } from "./serve-auth.js";

/** Users in memory. */
function makeUsers(): UserStore & { readonly records: Map<number, UserRecord> } {
  const records = new Map<number, UserRecord>();
  const put = (record: UserRecord): UserRecord => {
    records.set(record.id as number, record);
    return record;
  };
  return {
    records,
    has: { email: false, emailVerified: false },
    findById: async (id) => records.get(Number(id)),
    findByLogin: async (field, name) => [...records.values()].find(({ user }) => user[field] === name),
    findByEmail: async () => undefined,
    create: async (data, passwordHash) => {
      if ([...records.values()].some(({ user }) => user.username === data.username)) throw ormErrors.UniqueConstraint();
      const id = records.size + 1;
      const rights = { isActive: true, isSuperUser: false, roles: ["READER"], permissions: [] };
      return put({ id, passwordHash, ...rights, user: { id, ...data } });
    },
    update: async (record, changes) => put({ ...record, user: { ...record.user, ...changes } }),
    setPassword: async (record, passwordHash) => put({ ...record, passwordHash }),
    recordLogin: async (record) => record,
    setEmailVerified: async () => false,
    remove: async (id) => void records.delete(id as number),
  };
}

const schemas = {
  signup: z.strictObject({ username: z.string().min(3), password: z.string() }),
  updateMe: z.strictObject({ name: z.string() }),
};
const alice = { username: "alice", password: "correct horse" };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const served: Served[] = [];
afterEach(async () => {
  for (const one of served.splice(0)) await one.stop();
});

async function serve(options: Partial<AuthOptions> & Partial<Parameters<typeof serveAuth>[0]> = {}) {
  const users = makeUsers();
  const one = await serveAuth({ users, schemas, ...options });
  served.push(one);
  return { ...one, users: (options.users ?? users) as typeof users };
}

async function signIn({ api }: Served): Promise<string> {
  await api.post("/api/auth/signup").send(alice);
  return (await api.post("/api/auth/login").send(alice)).body.accessToken;
}

describe("users in a custom store", () => {
  it("sign up, log in, act, update and delete themselves", async () => {
    const at = await serve();
    const token = await signIn(at);
    expect((await at.api.get("/api/users/me").set(bearer(token))).body).toEqual({ data: { id: 1, username: "alice" } });
    expect((await at.api.get("/api/any").set(bearer(token))).status).toBe(200);
    expect((await at.api.get("/api/edit").set(bearer(token))).status).toBe(403);
    expect((await at.api.patch("/api/users/me").set(bearer(token)).send({ name: "A" })).body.data.name).toBe("A");
    expect((await at.api.post("/api/auth/forgot-password").send({ email: "x" })).status).toBe(404);
    expect((await at.api.delete("/api/users/me").set(bearer(token))).status).toBe(204);
    expect((await at.api.get("/api/users/me").set(bearer(token))).status).toBe(401);
  });

  it("C147 have the failures of an account counted whatever name finds it, on all instances with one store", async () => {
    const hits = new Map<string, number>();
    const makeStore = (scope: string) => ({
      async increment(key: string) {
        const totalHits = (hits.get(scope + key) ?? 0) + 1;
        hits.set(scope + key, totalHits);
        return { totalHits, resetTime: new Date(Date.now() + 60_000) };
      },
      async decrement(key: string) {
        hits.set(scope + key, (hits.get(scope + key) ?? 0) - 1);
      },
      async resetKey() {},
    });
    const users = makeUsers();
    const { findByLogin } = users;
    // As a collation that ignores everything after the first five letters.
    users.findByLogin = (field, name) => findByLogin(field, name.slice(0, 5));
    const one = await serve({ users, makeStore, config: { rateLimit: false } });
    const other = await serve({ users, makeStore, config: { rateLimit: false } });
    await one.api.post("/api/auth/signup").send(alice);
    const statuses: number[] = [];
    for (let at = 0; at < 12; at++) {
      const { api } = at % 2 === 0 ? one : other;
      statuses.push((await api.post("/api/auth/login").send({ username: `alice${at}`, password: "wrong" })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await one.api.post("/api/auth/login").send(alice)).status).toBe(429);
    const unknown = await one.api.post("/api/auth/login").send({ username: "bobby", password: "wrong" });
    expect(unknown.status).toBe(401);
  });

  it("use the token of a password change although another request read them before it", async () => {
    const users = makeUsers();
    const { findById } = users;
    const at = await serve({ users, config: { cacheMs: 60_000 } });
    const token = await signIn(at);
    const gate = new EventEmitter();
    users.findById = async (id) => {
      const record = await findById(id);
      gate.emit("read");
      await once(gate, "changed");
      return record;
    };
    const isRead = once(gate, "read");
    const slow = at.api
      .get("/api/users/me")
      .set(bearer(token))
      .then(({ status }) => status);
    await isRead;
    users.findById = findById;
    const body = { currentPassword: alice.password, newPassword: "battery staple" };
    const changed = await at.api.post("/api/auth/update-password").set(bearer(token)).send(body);
    gate.emit("changed");
    expect(await slow).toBe(200);
    expect((await at.api.get("/api/users/me").set(bearer(changed.body.accessToken))).status).toBe(200);
    expect((await at.api.get("/api/users/me").set(bearer(token))).status).toBe(401);
  });

  it("require schemas of their bodies, and a store; all issues are reported together", async () => {
    await expect(serve({ schemas: {} })).rejects.toThrow(/requires signup.*requires updateMe/s);
    await expect(serve({ users: undefined as never, schemas: {} })).rejects.toThrow(
      /requires a database with a model User/,
    );
  });
});

describe("allows", () => {
  it("C29 returns for model routes what the step would decide", async () => {
    const responses: unknown[] = [];
    const at = await serve({
      mount: (router) => {
        router.get({ path: "/allows", authentication: true }, (request: Request, response: Response) => {
          const { auth } = at;
          const accesses = [
            false,
            true,
            { resource: "post", action: "View", rule: ["READER"] },
            { resource: "post", action: "View", rule: { roles: ["EDITOR"] } },
            { resource: "post", action: "View", rule: ["*"] },
            { resource: "post", action: "View" },
          ] as const;
          responses.push(...accesses.map((access) => auth.allows(request, access)));
          response.json({});
        });
      },
    });
    const token = await signIn(at);
    await at.api.get("/api/allows").set(bearer(token));
    expect(responses.splice(0)).toEqual([true, true, true, false, true, false]);
    const record = at.users.records.get(1);
    if (record !== undefined) at.users.records.set(1, { ...record, isSuperUser: true });
    await at.api.get("/api/allows").set(bearer(token));
    expect(responses.splice(0)).toEqual([true, true, true, true, true, true]);
    expect(at.auth.allows({} as never, true)).toBe(false);
    expect(at.auth.allows({} as never, false)).toBe(true);
  });
});

describe("the step", () => {
  it("authenticates callers of a public generated route, and of no other", async () => {
    const at = await serve();
    const route = (model?: string) => ({ config: {}, origin: { place: "x", ...(model && { model }) } }) as never;
    expect(at.auth.step.handlers(undefined, route("Post"))).toHaveLength(1);
    expect(at.auth.step.handlers(false, route("Post"))).toHaveLength(1);
    expect(at.auth.step.handlers(undefined, route())).toEqual([]);
    expect(at.auth.step.handlers(undefined, undefined)).toEqual([]);
  });

  it("authenticates a request once, also when it falls through to another route", async () => {
    const users = makeUsers();
    let reads = 0;
    const counting: UserStore = {
      ...users,
      findById: (id) => {
        reads++;
        return users.findById(id);
      },
    };
    const at = await serve({
      users: counting,
      mount: (router) => {
        router.get({ path: "/through", authentication: true }, (_request, _response, next) => next("route"));
        router.get({ path: "/:any", authentication: true }, (request: Request, response: Response) => {
          response.json({ id: callerOf(request)?.id });
        });
      },
    });
    const token = await signIn(at);
    reads = 0;
    expect((await at.api.get("/api/through").set(bearer(token))).body).toEqual({ id: 1 });
    expect(reads).toBe(1);
  });
});

describe("C28 revoked tokens that instances share", () => {
  const makeShared = (): ExpiringStore & { readonly stored: Map<string, number>; isAway: boolean } => {
    const stored = new Map<string, number>();
    const store = {
      stored,
      isAway: false,
      get: async (key: string) => {
        if (store.isAway) throw new Error("away");
        return stored.has(key) ? "1" : null;
      },
      set: async (key: string, _value: string, seconds: number) => {
        if (store.isAway) throw new Error("away");
        stored.set(key, seconds);
      },
    };
    return store;
  };

  it("apply a logout on one instance to the other immediately, until the token expires", async () => {
    const users = makeUsers();
    const shared = makeShared();
    const one = await serve({ users, revoked: makeSharedRevokedTokens(shared) });
    const other = await serve({ users, revoked: makeSharedRevokedTokens(shared) });
    const token = await signIn(one);
    expect((await other.api.get("/api/signed-in").set(bearer(token))).status).toBe(200);
    expect((await one.api.delete("/api/auth/logout").set(bearer(token))).status).toBe(204);
    expect((await other.api.get("/api/signed-in").set(bearer(token))).status).toBe(401);
    const [[key = "", seconds = 0] = []] = shared.stored;
    expect(key).toMatch(/^servicekit:revoked:[\da-f-]{36}$/);
    expect(seconds).toBeGreaterThan(29.9 * 86_400);
  });

  it("reject tokens with 503 while the store is unavailable", async () => {
    const shared = makeShared();
    const at = await serve({ revoked: makeSharedRevokedTokens(shared) });
    const token = await signIn(at);
    shared.isAway = true;
    const reply = await at.api.get("/api/signed-in").set(bearer(token));
    expect([reply.status, reply.body.code, reply.headers["retry-after"]]).toEqual([503, "TokensUnavailable", "5"]);
    expect((await at.api.delete("/api/auth/logout").set(bearer(token))).status).toBe(503);
    shared.isAway = false;
    expect((await at.api.get("/api/signed-in").set(bearer(token))).status).toBe(200);
  });
});

describe("C47 the documentation of the routes", () => {
  it("has a summary, the successful response and the errors of every route; the token only where it is sent", async () => {
    const at = await serve();
    const cookieOnly = await serve({ config: { login: { sendAccessTokenThrough: "cookie-only" } } });
    const routesOf = ({ auth }: Served) =>
      makeRouteTable(auth.router as object).entries.flatMap(({ method, path, route }) =>
        route === undefined
          ? []
          : [{ name: `${method} ${path}`, route, documentation: route.origin.documentation?.() }],
      );
    const routes = routesOf(at);
    expect(routes.map(({ name, documentation }) => [name, Object.keys(documentation?.responses ?? {})])).toEqual([
      ["POST /auth/login", ["200"]],
      ["DELETE /auth/logout", ["204"]],
      ["POST /auth/signup", ["201"]],
      ["POST /auth/update-password", ["200"]],
      ["GET /users/me", ["200"]],
      ["PATCH /users/me", ["200"]],
      ["DELETE /users/me", ["204"]],
    ]);
    for (const { route, documentation } of routes) {
      expect(documentation?.summary).toMatch(/\w/);
      expect(route.config.validation?.body).toBeDefined();
    }
    const login = (from: typeof routes) => JSON.stringify(from[0]?.documentation);
    expect(login(routes)).toContain("accessToken");
    expect(login(routesOf(cookieOnly))).not.toContain("accessToken");
    expect(login(routes)).toContain("InvalidCredentials");
  });

  it("C43 responses below /auth are not cached, including errors", async () => {
    const { api } = await serve({ config: { rateLimit: { windowMs: 60_000, limit: 2 } } });
    for (const status of [400, 401, 429]) {
      const reply = status === 401 ? await api.delete("/api/auth/logout") : await api.post("/api/auth/login").send({});
      expect([reply.status, reply.headers["cache-control"]]).toEqual([status, "no-store"]);
    }
  });
});

describe("any input", () => {
  it("never causes a 5xx, whatever the shape of the body", async () => {
    const { api, logged } = await serve({ schemas });
    const path = fc.constantFrom("/api/auth/login", "/api/auth/signup", "/api/auth/update-password", "/api/users/me");
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), fc.constant("correct horse"));
    const body = fc.oneof(
      value,
      fc.record({ username: value, password: value }, { requiredKeys: [] }),
      fc.record({ currentPassword: value, newPassword: value }, { requiredKeys: [] }),
    );
    await fc.assert(
      fc.asyncProperty(path, body, fc.string({ maxLength: 40 }), async (target, sent, header) => {
        const method = target.endsWith("/me") ? "patch" : "post";
        const reply = await api[method](target)
          .set("content-type", "application/json")
          .set("authorization", header.replace(/[^\x20-\x7e]/g, "?"))
          .set("cookie", `access_token=${encodeURIComponent(header)}`)
          .send(JSON.stringify(sent) ?? "null");
        expect(reply.status).toBeLessThan(500);
        // A sign-up may succeed, and a login with its values.
        if (!target.endsWith("/login")) expect(reply.status).not.toBe(200);
      }),
      { numRuns: 300 },
    );
    expect(logged).toEqual([]);
  }, 30_000);
});
