import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ModelConfig, ModelRouterSettings } from "../src/index.js";
import { type Call, type Records, startRecords, type User } from "./records.js";

const cache = { maxAge: 60, public: true } as const;
const open = { auth: { findMany: false, findOne: false } } as const;
const user: User = { id: 1 };

let records: Records;
beforeAll(async () => {
  records = await startRecords(inject("postgresUrl"));
});
beforeEach(async () => {
  await records.clear();
  await records.sql(`INSERT INTO "Company" (name) VALUES ('A')`);
  await records.sql(
    `INSERT INTO "Project" (title, "companyId", "updatedAt") VALUES ('one', 1, now()), ('two', 1, now())`,
  );
  await records.sql(`INSERT INTO "Task" (title, "projectId") VALUES ('a', 1)`);
  await records.sql(`INSERT INTO "Page" (year, code, text) VALUES (2026, 'a,b', 't')`);
});
afterAll(() => records?.close());

const serve = async (
  models: Readonly<Record<string, ModelConfig>>,
  { isGuarded = false, ...settings }: Partial<ModelRouterSettings> & { readonly isGuarded?: boolean } = {},
): Promise<Call> => {
  return (await records.serve(models, { settings }, isGuarded)).call;
};

/** The headers of a response for caches. */
const headersOf = async (call: Call, path: string, options: Parameters<Call>[2] = {}, name = "surrogate-key") => {
  const { headers } = await call("GET", path, options);
  return [headers.get("cache-control"), headers.get("vary"), headers.get(name)];
};

const withKeys = { surrogateKeyHeader: "Surrogate-Key" } as const;
const privately = "private, no-cache";

describe("C124 responses of a model with cache", () => {
  it("may be reused as configured, others may not", async () => {
    const call = await serve({
      Project: { cache },
      Task: { cache: { maxAge: 5 } },
      Company: { cache: { maxAge: 5, staleWhileRevalidate: 30 } },
    });
    const found = await Promise.all(
      ["/projects", "/projects/1", "/tasks", "/companies", "/pages"].map((path) => headersOf(call, path)),
    );
    expect(found.map(([control]) => control)).toEqual([
      "public, max-age=60",
      "public, max-age=60",
      "private, max-age=5",
      "private, max-age=5, stale-while-revalidate=30",
      null,
    ]);
    expect(found[0]).toEqual(["public, max-age=60", "Accept-Encoding", null]);
    // Errors and responses of writes are not reused.
    expect((await headersOf(call, "/projects/9"))[0]).toBe(null);
    const { headers } = await call("PATCH", "/projects/1", { body: { title: "x" } });
    expect(headers.get("cache-control")).toBe(null);
  });

  it("are private for clients with credentials", async () => {
    const call = await serve({ Project: { cache, ...open } }, { isGuarded: true });
    const [control, vary] = ["public, max-age=60", "Authorization, Cookie, Accept-Encoding"];
    expect(await headersOf(call, "/projects")).toEqual([control, vary, null]);
    expect((await headersOf(call, "/projects", { user }))[0]).toBe(privately);
    expect((await headersOf(call, "/projects", { headers: { authorization: "Bearer x" } }))[0]).toBe(privately);
    const cookies = await serve({
      Project: {
        cache,
        hooks: {
          beforeFindMany: (_request, response, next) => {
            response.setHeader("Set-Cookie", "a=b");
            next();
          },
        },
      },
    });
    expect((await headersOf(cookies, "/projects"))[0]).toBe(privately);
    expect((await headersOf(cookies, "/projects/1"))[0]).toBe("public, max-age=60");
  });

  it("are private with rows of models whose rows or fields depend on the caller", async () => {
    const rules: ModelConfig["auth"][] = [
      { where: () => true },
      { findOne: { where: () => true } },
      { fields: { "*": ["id", "title", "projectId"] } },
    ];
    for (const auth of rules) {
      const call = await serve({ Project: { cache }, Task: auth === undefined ? {} : { auth } });
      expect((await headersOf(call, "/projects"))[0]).toBe("public, max-age=60");
      expect((await headersOf(call, "/projects?include=company"))[0]).toBe("public, max-age=60");
      expect((await headersOf(call, "/projects?include=tasks"))[0]).toBe(privately);
      expect((await headersOf(call, "/projects?tasks[some][title]=a"))[0]).toBe(privately);
    }
  });

  it("keep the header of a hook", async () => {
    const call = await serve({
      Project: {
        cache,
        hooks: {
          beforeFindMany: (_request, response, next) => {
            response.setHeader("Cache-Control", "public, max-age=1");
            next();
          },
        },
      },
    });
    expect((await headersOf(call, "/projects"))[0]).toBe("public, max-age=1");
  });
});

describe("C124 surrogate keys", () => {
  const Project = { cache, changes: true } as const;

  it("name the row or the list, and the lists of related models", async () => {
    const call = await serve({ Project, Page: Project }, withKeys);
    const keyOf = async (path: string) => (await headersOf(call, path))[2];
    expect(await keyOf("/projects")).toBe("project");
    expect(await keyOf("/projects/1")).toBe("project/1");
    expect(await keyOf("/projects/1?include=company,tasks.steps")).toBe("project/1 company task step");
    expect(await keyOf("/projects?include=tasks.project")).toBe("project task");
    expect(await keyOf("/pages/2026,a%2Cb")).toBe("page/2026/a%2Cb");
  });

  it("are separated by commas in Cache-Tag", async () => {
    const call = await serve({ Project }, { surrogateKeyHeader: "Cache-Tag" });
    expect((await headersOf(call, "/projects/1?include=tasks", {}, "cache-tag"))[2]).toBe("project/1,task");
  });

  it("of a long key are short", async () => {
    const code = "x".repeat(300);
    await records.sql(`INSERT INTO "Page" (year, code, text) VALUES (1, '${code}', 't'), (2, '${code}', 't')`);
    const call = await serve({ Page: Project }, withKeys);
    const keys = [await headersOf(call, `/pages/1,${code}`), await headersOf(call, `/pages/2,${code}`)].map(
      ([, , key]) => key,
    );
    for (const key of keys) expect(key).toMatch(/^page\/~[\w-]{43}$/);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it("are missing where nothing removes cached responses, and in private ones", async () => {
    const unrecorded = await serve({ Project: { cache } }, withKeys);
    const local = await serve({ Project: { cache: { maxAge: 60 }, changes: true } }, withKeys);
    const guarded = await serve({ Project: { ...Project, ...open } }, { ...withKeys, isGuarded: true });
    expect((await headersOf(unrecorded, "/projects"))[2]).toBe(null);
    expect((await headersOf(local, "/projects"))[2]).toBe(null);
    expect((await headersOf(guarded, "/projects", { user }))[2]).toBe(null);
    expect((await headersOf(guarded, "/projects"))[2]).toBe("project");
  });
});

describe("C124 the configuration of a cache", () => {
  const issuesOf = (Project: ModelConfig, isGuarded = false) =>
    records.serve({ Project: { cache, ...Project } }, {}, isGuarded).then(
      () => [],
      (error: { issues: { where: string; message: string }[] }) =>
        error.issues.map(({ where, message }) => `${where}: ${message}`),
    );

  it("requires responses that do not depend on the caller", async () => {
    expect(await issuesOf({})).toEqual([]);
    expect(await issuesOf(open, true)).toEqual([]);
    const found = [
      await issuesOf({ operations: { findMany: false, findOne: false } }),
      await issuesOf({ auth: { fields: { "*": ["id"] } } }),
      await issuesOf({ auth: { findOne: { where: () => true } } }),
      await issuesOf({ auth: { where: () => true } }),
      await issuesOf({ auth: { findMany: false } }, true),
      await issuesOf({ operations: { findOne: false } }, true),
    ];
    expect(found).toMatchInlineSnapshot(`
      [
        [
          "models.Project.cache: No read is enabled. Enable findMany or findOne, or remove this key.",
        ],
        [
          "models.Project.cache: The fields of Project depend on the caller. Remove this key, or auth.fields.",
        ],
        [
          "models.Project.cache: The rows of findOne depend on the caller. Remove this key, or the row rule.",
        ],
        [
          "models.Project.cache: The rows of findMany depend on the caller. Remove this key, or the row rule.",
          "models.Project.cache: The rows of findOne depend on the caller. Remove this key, or the row rule.",
        ],
        [
          "models.Project.cache: findOne requires an authenticated caller. Open it with auth: { findOne: false }, or remove this key.",
        ],
        [
          "models.Project.cache: findMany requires an authenticated caller. Open it with auth: { findMany: false }, or remove this key.",
        ],
      ]
    `);
  });
});
