import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { HistorySource, ModelConfig, ModelRouterOptions } from "../src/index.js";
import { type Call, type Records, startRecords, type User } from "./records.js";

type Change = Awaited<ReturnType<HistorySource["read"]>>["changes"][number];

const time = new Date("2026-01-31T08:30:00Z");
/** A recorded change: created without `before`, deleted without `after`. */
const change = (id: number, before: object | null, after: object | null): Change => ({
  ...{ id: BigInt(id), time, actor: `user:${id}`, requestId: id === 2 ? "r2" : null },
  operation: before === null ? "create" : after === null ? "delete" : "update",
  before: before as Change["before"],
  after: after as Change["after"],
});

const state = (title: string, more: object = {}) => ({
  ...{ id: 1, title, rank: 1, budget: null, secret: "s", score: 0, deletedAt: null, companyId: null },
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...more,
});

let records: Records;
/** The recorded changes, by the model and the key of their row. */
let log: Record<string, Change[]>;
let history: HistorySource;
/** The sizes of the batches that were read. */
let reads: number[];
beforeAll(async () => {
  records = await startRecords(inject("postgresUrl"));
  history = {
    matchStates: records.matchStates,
    read: async ({ name }, key, { before, limit }) => {
      reads.push(limit);
      const older = (log[`${name} ${key}`] ?? []).filter(({ id }) => before === undefined || id < before);
      return { changes: older.reverse().slice(0, limit), hasMore: older.length >= limit };
    },
  };
});
beforeEach(async () => {
  reads = [];
  await records.clear();
  await records.sql(`INSERT INTO "Company" (name) VALUES ('A'), ('B')`);
  await records.sql(
    `INSERT INTO "Project" (title, rank, "updatedAt") VALUES ('c', 1, '2026-01-01'), ('other', 1, '2026-01-01')`,
  );
  log = {
    "Project 1": [
      change(1, null, state("a")),
      change(2, state("a"), state("b")),
      change(3, state("b"), state("b", { secret: "t" })),
      change(5, state("b", { secret: "t" }), state("c", { secret: "t", budget: "1.50" })),
    ],
  };
});
afterAll(() => records?.close());

const everyone = { auth: { all: ["*"] } } as const;
const serve = async (
  Project: ModelConfig = {},
  options: Parameters<Records["serve"]>[1] = {},
  isGuarded = false,
): Promise<Call> => {
  const models = {
    Project: { changes: { history: true }, ...Project },
    Page: { changes: { history: true }, ...(isGuarded ? everyone : {}) },
  };
  return (await records.serve(models, { history, ...options }, isGuarded)).call;
};

const statusOf = async (call: Call, method: string, path: string, more: Parameters<Call>[2] = {}): Promise<unknown> => {
  const { status, body } = await call(method, path, more);
  return status < 400 ? status : [status, body.code, body.errors?.[0]?.path];
};

describe("C107 a history", () => {
  it("lists the changes of the visible fields of a row, the latest first", async () => {
    const call = await serve();
    const { status, body, headers } = await call("GET", "/projects/1/history");
    expect(status).toBe(200);
    const { secret: _secret, ...after } = state("c", { budget: "1.50" });
    const { secret: _other, ...before } = state("b");
    const { secret: _first, ...first } = state("a");
    const shared = { time: "2026-01-31T08:30:00.000Z", requestId: null };
    expect(body).toEqual({
      data: [
        { id: "5", operation: "update", actor: "user:5", ...shared, changed: ["title", "budget"], before, after },
        {
          ...{ id: "2", operation: "update", actor: "user:2", ...shared, requestId: "r2", changed: ["title"] },
          ...{ before: first, after: before },
        },
        { id: "1", operation: "create", actor: "user:1", ...shared, changed: [], before: null, after: first },
      ],
      meta: { count: 3, limit: 20, page: 1, hasMore: false },
    });
    expect(headers.get("etag")).toEqual(expect.any(String));
    expect(headers.get("link")).toBe('</api/projects/1/history?page=1>; rel="first"');
  });

  it("has pages", async () => {
    const call = await serve();
    const pageOf = async (query: string) => {
      const { body, headers } = await call("GET", `/projects/1/history?${query}`);
      return [body.data.map(({ id }: { id: string }) => id), body.meta, headers.get("link")];
    };
    const link = (page: number, rel: string) => `</api/projects/1/history?limit=2&page=${page}>; rel="${rel}"`;
    expect(await pageOf("page=1&limit=2")).toEqual([
      ["5", "2"],
      { count: 2, limit: 2, page: 1, hasMore: true },
      [link(1, "first"), link(2, "next")].join(", "),
    ]);
    expect(await pageOf("page=2&limit=2")).toEqual([
      ["1"],
      { count: 1, limit: 2, page: 2, hasMore: false },
      [link(1, "first"), link(1, "prev")].join(", "),
    ]);
    expect(await pageOf("page=3&limit=2")).toMatchObject([[], { count: 0, hasMore: false }, expect.any(String)]);
    expect((await pageOf("page=1&limit=3"))[1]).toMatchObject({ count: 3, hasMore: false });
    for (const query of ["page=0", "limit=1000", "sort=id", "title=a"]) {
      const [status] = (await statusOf(call, "GET", `/projects/1/history?${query}`)) as unknown[];
      expect([query, status]).toEqual([query, 400]);
    }
  });

  it("of many changes is read in batches until the page is complete", async () => {
    log["Project 1"] = Array.from({ length: 700 }, (_, n) =>
      change(n + 1, state("a"), state(n % 100 === 0 ? `b${n}` : "a", { secret: `${n}` })),
    );
    const call = await serve();
    const { body } = await call("GET", "/projects/1/history?limit=5");
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(["601", "501", "401", "301", "201"]);
    expect(body.meta.hasMore).toBe(true);
    expect(reads).toEqual([6, 12, 24, 48, 96, 192, 200, 200]);
  });

  it("shows the states that the row rules of the caller match, and none of other rows", async () => {
    const call = await serve({ auth: { findOne: { where: () => ({ title: { in: ["b", "c"] } }) } } });
    const { body } = await call("GET", "/projects/1/history");
    expect(
      body.data.map(({ id, before, after, changed }: Record<string, { title: string } | null>) => [
        ...[id, before?.title, after?.title, changed],
      ]),
    ).toEqual([
      ["5", "b", "c", ["title", "budget"]],
      ["2", undefined, "b", []],
    ]);
    const hidden = await serve({ auth: { findOne: { where: () => ({ title: "x" }) } } });
    expect(await statusOf(hidden, "GET", "/projects/1/history")).toEqual([404, "NotFound", "/id"]);
    const current = await serve({ auth: { findOne: { where: () => ({ title: "other" }) } } });
    const empty = await current("GET", "/projects/2/history");
    expect([empty.status, empty.body.data]).toEqual([200, []]);
  });

  it("is 404 for a row that never existed, and remains for a deleted one", async () => {
    const call = await serve();
    expect(await statusOf(call, "GET", "/projects/9/history")).toEqual([404, "NotFound", "/id"]);
    expect(await statusOf(call, "GET", "/projects/x/history")).toEqual([404, "NotFound", "/id"]);
    log["Project 9"] = [change(7, state("z", { id: 9 }), null)];
    const { body } = await call("GET", "/projects/9/history");
    expect(body.data).toMatchObject([{ id: "7", operation: "delete", before: { title: "z" }, after: null }]);
    expect(await statusOf(call, "GET", "/tasks/1/history")).toEqual([404, "NotFound", undefined]);
  });

  it("is limited like other responses", async () => {
    const call = await serve({}, { settings: { responseBytes: 200 } });
    expect(await statusOf(call, "GET", "/projects/1/history")).toMatchObject([400, "ResponseTooLarge", ""]);
  });

  it("requires the access of a read of one row", async () => {
    const auth = { findOne: ["reader"], updateOne: ["writer"], findMany: false } as const;
    const call = await serve({ auth }, {}, true);
    const users: (User | undefined)[] = [undefined, { id: 1, roles: ["writer"] }, { id: 1, roles: ["reader"] }];
    const found: unknown[] = [];
    for (const user of users) found.push((await call("GET", "/projects/1/history", { user })).status);
    expect(found).toEqual([401, 403, 200]);
  });

  it("reports at startup what it requires", async () => {
    const issues = (options: Partial<ModelRouterOptions>, config: ModelConfig = {}) =>
      records.serve({ Project: { changes: { history: true }, ...config } }, options).then(
        () => [],
        (error: { issues: { where: string; message: string }[] }) =>
          error.issues.map(({ where, message }) => `${where}: ${message}`),
      );
    expect(await issues({})).toEqual(["models.Project.changes.history: Pass the option history to makeModelRouter."]);
    expect(await issues({ history }, { operations: { findOne: false } })).toEqual([
      "models.Project.changes.history: A history requires reads of rows. Enable findOne.",
    ]);
  });
});

describe("C108 a restore of a state", () => {
  const titleOf = async (id = 1) => records.sql(`SELECT title, rank, budget::text FROM "Project" WHERE id = ${id}`);

  it("writes the fields that differ, as an update", async () => {
    const bodies: unknown[] = [];
    const call = await serve({
      hooks: {
        beforeUpdateOne: ({ body }, _response, next) => {
          bodies.push(body);
          next();
        },
      },
    });
    const { status, body } = await call("POST", "/projects/1/history/2/restore");
    expect([status, body.data.title, body.meta]).toEqual([
      200,
      "b",
      { restored: ["title"], notWritable: [], unknown: [] },
    ]);
    expect(bodies).toEqual([{ title: "b" }]);
    expect(await titleOf()).toEqual([{ title: "b", rank: 1, budget: null }]);
    const again = await call("POST", "/projects/1/history/2/restore");
    expect([again.status, again.body.meta.restored]).toEqual([200, []]);
  });

  it("reports the recorded fields that bodies cannot set, and those that no longer exist", async () => {
    log["Project 1"] = [change(1, null, state("a", { score: 7, removed: 1, budget: "2.50" }))];
    const call = await serve({ readonly: ["rank"] });
    const { body } = await call("POST", "/projects/1/history/1/restore");
    expect(body.meta).toEqual({ restored: ["title", "budget"], notWritable: ["score"], unknown: ["removed"] });
    expect(await titleOf()).toEqual([{ title: "a", rank: 1, budget: "2.50" }]);
    log["Project 1"] = [change(1, null, state("a", { score: 7, budget: "2.50" }))];
    expect(await statusOf(call, "POST", "/projects/1/history/1/restore")).toEqual([403, "Forbidden", undefined]);
  });

  it("leaves the fields that were not recorded as they are", async () => {
    log["Project 1"] = [change(1, null, { id: 1, title: "a" })];
    const call = await serve();
    expect((await call("GET", "/projects/1/history")).body.data[0].after).toEqual({ id: 1, title: "a" });
    const { status, body } = await call("POST", "/projects/1/history/1/restore");
    expect([status, body.meta]).toEqual([200, { restored: ["title"], notWritable: [], unknown: [] }]);
    expect(await titleOf()).toEqual([{ title: "a", rank: 1, budget: null }]);
  });

  it("writes the fields that the schema of the module accepts", async () => {
    log["Project 1"] = [change(1, null, state("a", { rank: 7, budget: "2.50" }))];
    const restored = async (update: object) => {
      const call = await serve({ schemas: { update } as never });
      await records.sql(`UPDATE "Project" SET title = 'c', rank = 1, budget = NULL WHERE id = 1`);
      const { status, body } = await call("POST", "/projects/1/history/1/restore");
      return [status, body.meta?.restored, body.meta?.notWritable];
    };
    const title = z.string().optional();
    const all = ["title", "rank", "budget"];
    expect(await restored(z.object({ title }))).toEqual([200, ["title"], ["rank", "budget"]]);
    expect(await restored(z.strictObject({ title }))).toEqual([200, ["title"], ["rank", "budget"]]);
    expect(await restored(z.looseObject({ title }))).toEqual([200, all, []]);
    expect(await restored(z.object({ title }).catchall(z.unknown()))).toEqual([200, all, []]);
    expect(await restored(z.object({ title: z.literal("b").optional() }))).toEqual([400, undefined, undefined]);
  });

  it("is 404 for a change that the caller does not see", async () => {
    log["Project 2"] = [change(6, null, state("other", { id: 2 }))];
    const call = await serve();
    for (const path of ["1/history/4", "1/history/6", "1/history/0", "1/history/x", "9/history/1", "x/history/1"])
      expect([path, await statusOf(call, "POST", `/projects/${path}/restore`)]).toEqual([
        path,
        [404, "NotFound", "/changeId"],
      ]);
    expect(await statusOf(call, "POST", "/projects/1/history/9223372036854775808/restore")).toEqual([
      404,
      "NotFound",
      "/changeId",
    ]);
    // A change of hidden fields only.
    expect(await statusOf(call, "POST", "/projects/1/history/3/restore")).toEqual([404, "NotFound", "/changeId"]);
    const ruled = await serve({ auth: { findOne: { where: () => ({ title: { not: "b" } }) } } });
    expect(await statusOf(ruled, "POST", "/projects/1/history/2/restore")).toEqual([404, "NotFound", "/changeId"]);
    expect(await statusOf(ruled, "POST", "/projects/1/history/1/restore")).toBe(200);
  });

  it("is subject to the row rules of updates", async () => {
    const call = await serve({ auth: { updateOne: { where: () => ({ title: { in: ["c", "b"] } }) } } });
    expect(await statusOf(call, "POST", "/projects/1/history/1/restore")).toEqual([403, "Forbidden", undefined]);
    expect(await statusOf(call, "POST", "/projects/1/history/2/restore")).toBe(200);
    await records.sql(`UPDATE "Project" SET title = 'z' WHERE id = 1`);
    expect(await statusOf(call, "POST", "/projects/1/history/2/restore")).toEqual([404, "NotFound", "/id"]);
  });

  it("validates the state like a body", async () => {
    log["Project 1"] = [change(1, null, state("a", { rank: 2 ** 40 }))];
    const call = await serve();
    expect(await statusOf(call, "POST", "/projects/1/history/1/restore")).toEqual([400, "ValidationError", "/rank"]);
    expect(await titleOf()).toEqual([{ title: "c", rank: 1, budget: null }]);
    log["Project 1"] = [change(1, null, state("a", { companyId: 9 }))];
    expect(await statusOf(call, "POST", "/projects/1/history/1/restore")).toEqual([
      409,
      "ForeignKeyConstraint",
      "/companyId",
    ]);
  });

  it("of a deleted row creates it again, if bodies set its key", async () => {
    const page = { year: 2026, code: "a/b", text: "t", draft: "d" };
    log["Page 2026,a%2Fb"] = [change(1, null, page), change(2, page, null)];
    log["Page 2026,x"] = [change(3, null, { ...page, code: "x" })];
    log["Project 9"] = [change(7, null, state("z", { id: 9 }))];
    const call = await serve();
    const restored = await call("POST", "/pages/2026,a%2Fb/history/2/restore");
    expect([restored.status, restored.body.data, restored.body.meta]).toEqual([
      201,
      page,
      { restored: ["year", "code", "text", "draft"], notWritable: [], unknown: [] },
    ]);
    expect(await statusOf(call, "POST", "/projects/9/history/7/restore")).toEqual([409, "RowDeleted", "/id"]);
    expect(await statusOf(call, "POST", "/pages/2026,x/history/3/restore", { headers: { "if-match": '"x"' } })).toEqual(
      [412, "PreconditionFailed", "/if-match"],
    );
  });

  it("of a row with soft delete requires that the row is restored first", async () => {
    const call = await serve({ softDelete: { keep: ["notes", "tasks"] } });
    expect(await statusOf(call, "DELETE", "/projects/1")).toBe(204);
    expect(await statusOf(call, "POST", "/projects/1/history/2/restore")).toEqual([409, "RowDeleted", "/id"]);
  });

  it("does not disclose a deleted row to a caller who may not view deleted rows", async () => {
    const keep = { softDelete: { keep: ["notes", "tasks"] } };
    const restore = async (call: Call, id: number) => {
      const { status, body } = await call("POST", `/projects/${id}/history/2/restore`, { user: { id: 1 } });
      return [status, { ...body, instance: undefined, requestId: undefined }];
    };
    const unreachable = { auth: { updateOne: { where: () => ({ title: "none" }) } } };
    await records.sql(`UPDATE "Project" SET title = 'c' WHERE id = 2`);
    log["Project 2"] = [change(2, null, state("a", { id: 2 }))];
    const expected = await restore(await serve({ ...keep, ...unreachable }), 2);
    expect(expected).toMatchObject([404, { code: "NotFound", detail: "No project has this id." }]);
    await records.sql(`UPDATE "Project" SET "deletedAt" = now() WHERE id = 1`);
    const without = await serve({ ...keep, auth: { all: ["*"], findDeleted: ["admin"], restoreOne: ["*"] } }, {}, true);
    expect(await restore(without, 1)).toEqual(expected);
    const ruled = await serve({ ...keep, auth: { findDeleted: { where: () => ({ id: 2 }) } } });
    expect(await restore(ruled, 1)).toEqual(expected);
    await records.sql(`UPDATE "Project" SET "deletedAt" = now() WHERE id = 2`);
    expect(await restore(ruled, 2)).toMatchObject([409, { code: "RowDeleted" }]);
  });

  it("checks If-Match, and starts again if another request changes the row", async () => {
    let isChanged = false;
    const call = await serve({
      hooks: {
        beforeUpdateOne: async (_request, _response, next) => {
          if (!isChanged) await records.sql(`UPDATE "Project" SET rank = 5 WHERE id = 1`);
          isChanged = true;
          next();
        },
      },
    });
    expect(await statusOf(call, "POST", "/projects/1/history/2/restore", { headers: { "if-match": '"x"' } })).toEqual([
      412,
      "PreconditionFailed",
      "/if-match",
    ]);
    isChanged = false;
    await records.sql(`UPDATE "Project" SET rank = 1 WHERE id = 1`);
    const { status, body } = await call("POST", "/projects/1/history/2/restore");
    expect([status, body.meta.restored]).toEqual([200, ["title", "rank"]]);
    expect(await titleOf()).toEqual([{ title: "b", rank: 1, budget: null }]);
  });

  it("requires the rights to read and to update, and to create a deleted row", async () => {
    const roles = { findOne: ["reader"], updateOne: ["writer"], createOne: ["creator"] } as const;
    const page = { year: 2026, code: "x", text: "t", draft: null };
    log["Page 2026,x"] = [change(3, null, page)];
    const models = {
      Project: { changes: { history: true }, auth: roles },
      Page: { changes: { history: true }, auth: roles },
    };
    const { call } = await records.serve(models, { history }, true);
    const found: unknown[] = [];
    for (const names of ["reader", "writer", "reader writer", "reader writer creator"])
      for (const path of ["/projects/1/history/2", "/pages/2026,x/history/3"]) {
        const user = { id: 1, roles: names.split(" ") };
        found.push((await call("POST", `${path}/restore`, { user })).status);
      }
    expect(found).toEqual([403, 403, 403, 403, 200, 403, 200, 201]);
  });

  it("does not exist without updates", async () => {
    const call = await serve({ operations: { updateOne: false } });
    expect(await statusOf(call, "POST", "/projects/1/history/2/restore")).toEqual([404, "NotFound", undefined]);
    expect(await statusOf(call, "GET", "/projects/1/history")).toBe(200);
  });
});
