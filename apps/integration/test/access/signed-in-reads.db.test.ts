import path from "node:path";
import type { DatabaseConfig } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { PrismaClient as DynamicClient } from "../../../../packages/auth/test/generated/dynamic/client/client.js";
import { models as dynamicModels } from "../../../../packages/auth/test/generated/dynamic/models.js";
import { PrismaClient as JoinedClient } from "../../../../packages/auth/test/generated/joined/client/client.js";
import { models as joinedModels } from "../../../../packages/auth/test/generated/joined/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";

const kinds = {
  dynamic: {
    open: (adapter: never) => new DynamicClient({ adapter }),
    models: dynamicModels,
    give: `INSERT INTO "_AuthRoleToUser" ("A", "B") SELECT r.id, u.id FROM "AuthRole" r, "User" u`,
  },
  joined: {
    open: (adapter: never) => new JoinedClient({ adapter }),
    models: joinedModels,
    give: `INSERT INTO "UserRole" ("roleId", "userId") SELECT r.id, u.id FROM "AuthRole" r, "User" u`,
  },
} as const;

describe.each(["dynamic", "joined"] as const)("stored roles: %s", (name) => {
  const { open, models, give } = kinds[name];
  const { init, closeAll } = makeStarter();
  /** The queries outside Prisma. */
  let requested: string[] = [];
  let client: ReturnType<typeof open>;
  let created: Awaited<ReturnType<typeof createPushedDatabase>>;
  beforeAll(async () => {
    const fixture = path.join(import.meta.dirname, "../../../../packages/auth/test/fixtures", name);
    created = await createPushedDatabase(inject("postgresUrl"), fixture);
  });
  afterAll(async () => {
    await closeAll();
    await created?.drop();
  });

  it("C29 C71 a signed-in request reads user, roles and permissions with one statement", async () => {
    const makeClient: DatabaseConfig["client"] = ({ adapter }) => {
      const { link } = adapter as unknown as {
        readonly link: { query(sql: string, values: unknown[]): Promise<unknown> };
      };
      const query = link.query.bind(link);
      Object.assign(link, {
        query: (sql: string, values: unknown[]) => {
          requested.push(sql);
          return query(sql, values);
        },
      });
      client = open(adapter as never);
      return client;
    };
    const { url } = await init(
      {
        database: { models, client: makeClient },
        authentication: {
          mode: "dynamic",
          password: { cost: 4 },
          jwt: { secret: "a secret of tests that has more than 32 bytes" },
        },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
    );
    const send = async (method: string, to: string, body: unknown, token?: string) => {
      const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
      return fetch(`${url}/api/${to}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    };
    const credentials = { username: "alice", password: "a harbour closed on mondays" };
    expect((await send("POST", "auth/signup", credentials)).status).toBe(201);
    const { accessToken } = (await (await send("POST", "auth/login", credentials)).json()) as { accessToken: string };
    const list = async () => {
      requested = [];
      return (await send("GET", "auth-roles", undefined, accessToken)).status;
    };
    expect(await list()).toBe(403);
    await client.$executeRawUnsafe(`INSERT INTO "AuthRole" (id, name) VALUES (1, 'reader'), (2, 'b')`);
    await client.$executeRawUnsafe(
      `INSERT INTO "AuthPermission" (resource, action, "roleId") VALUES ('auth-role', 'View', 1), ('page', 'View', 2)`,
    );
    await client.$executeRawUnsafe(give);
    expect(await list()).toBe(200);
    const ofUser = requested.filter((sql) => sql.includes('"User"'));
    expect(ofUser).toHaveLength(1);
    expect(ofUser[0]).toContain('"AuthPermission"');
  });
});
