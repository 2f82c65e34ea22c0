import type { RequestHandler } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ModelRouterSettings } from "../src/index.js";
import { checkModelConfigs } from "../src/internal.js";
import { type Call, type Records, recordModels, startRecords } from "./records.js";

const models: ModelRouterSettings["models"] = {
  Project: { softDelete: { keep: ["notes"] }, aggregate: true, writable: ["tasks"] },
  Task: { softDelete: { field: "removedAt" }, writable: ["steps"] },
  Step: { softDelete: true },
  Check: { softDelete: true },
};

let records: Records;
let call: Call;
beforeAll(async () => {
  records = await startRecords(inject("postgresUrl"));
  ({ call } = await records.serve(models));
});
beforeEach(async () => {
  await records.clear();
  await records.sql(
    `INSERT INTO "Project" (title, "updatedAt") VALUES ('one', now()), ('two', now()), ('three', now())`,
  );
  await records.sql(`INSERT INTO "Task" (title, "projectId") VALUES ('a', 1), ('b', 1), ('c', 2)`);
  await records.sql(`INSERT INTO "Step" (text, "taskId") VALUES ('x', 1), ('y', 1), ('z', 3)`);
  await records.sql(`INSERT INTO "Note" (text, "projectId") VALUES ('n', 1)`);
});
afterAll(() => records?.close());

const idsOf = async (path: string): Promise<readonly number[]> => {
  const { status, body } = await call("GET", path);
  expect([path, status]).toEqual([path, 200]);
  return body.data.map(({ id }: { id: number }) => id);
};
const lists = async () => ({
  projects: await idsOf("/projects"),
  tasks: await idsOf("/tasks"),
  steps: await idsOf("/steps"),
});
const statusOf = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const response = await call(method, path, { body });
  const [error] = response.body?.errors ?? [];
  return [response.status, ...(response.status < 400 ? [] : [response.body.code, error?.path])];
};
const everything = { projects: [1, 2, 3], tasks: [1, 2, 3], steps: [1, 2, 3] };

describe("C101 a delete", () => {
  it("hides the row and the rows that are deleted with it, which a restore returns", async () => {
    expect(await statusOf("DELETE", "/projects/1")).toEqual([204]);
    expect(await lists()).toEqual({ projects: [2, 3], tasks: [3], steps: [3] });
    expect(await idsOf("/notes")).toEqual([1]);
    expect(await statusOf("GET", "/projects/1")).toEqual([404, "NotFound", "/id"]);
    expect(await statusOf("PATCH", "/projects/1", { title: "x" })).toEqual([404, "NotFound", "/id"]);
    expect(await statusOf("DELETE", "/projects/1")).toEqual([404, "NotFound", "/id"]);
    expect(await statusOf("POST", "/tasks", { title: "d", projectId: 1 })).toEqual([
      400,
      "RelatedRecordNotFound",
      "/projectId",
    ]);
    const { status, body } = await call("POST", "/projects/1/restore");
    expect([status, body.data]).toMatchObject([200, { id: 1, title: "one", deletedAt: null }]);
    expect(await lists()).toEqual(everything);
  });

  it("restores only the rows that were deleted with the row", async () => {
    expect(await statusOf("DELETE", "/steps/2")).toEqual([204]);
    expect(await statusOf("DELETE", "/tasks/2")).toEqual([204]);
    expect(await statusOf("DELETE", "/projects/1")).toEqual([204]);
    expect(await statusOf("POST", "/projects/1/restore")).toEqual([200]);
    expect(await lists()).toEqual({ projects: [1, 2, 3], tasks: [1, 3], steps: [1, 3] });
  });

  it("C14 of several rows requires a criterion besides the time of the deletion, which is null in every row", async () => {
    for (const query of [
      "deletedAt=null",
      "deletedAt__isNull=true",
      "not[deletedAt__not]=null",
      "deletedAt__in=null",
    ]) {
      expect([query, await statusOf("DELETE", `/projects/many?${query}`)]).toEqual([query, [400, "MissingFilter", ""]]);
      expect(await statusOf("PATCH", `/projects/many?${query}`, { title: "x" })).toEqual([400, "MissingFilter", ""]);
    }
    expect(await statusOf("DELETE", "/projects/many?deletedAt=null&title=one")).toEqual([200]);
    expect(await idsOf("/projects")).toEqual([2, 3]);
    const permanently = "/projects/many?permanent=true&deletedAt__isNull=false&deleted";
    expect(await statusOf("DELETE", `${permanently}=only`)).toEqual([400, "MissingFilter", ""]);
    expect((await call("DELETE", `${permanently}=include`)).body.meta.count).toBe(1);
    expect(await idsOf("/projects?deleted=include")).toEqual([2, 3]);
  });

  it("of several rows hides those that match, with their rows, and counts them", async () => {
    const { status, body } = await call("DELETE", "/projects/many?title__in=one,two,none");
    expect([status, body]).toMatchObject([200, { meta: { count: 2 } }]);
    expect(await lists()).toEqual({ projects: [3], tasks: [], steps: [] });
    expect((await call("DELETE", "/projects/many?title__in=one,none")).body.meta).toEqual({ count: 0 });
    expect(await statusOf("POST", "/projects/2/restore")).toEqual([200]);
    expect(await lists()).toEqual({ projects: [2, 3], tasks: [3], steps: [3] });
  });

  it("is rejected while another row references one of the rows", async () => {
    await records.sql(`INSERT INTO "Bill" (number, "projectId") VALUES ('b', 2)`);
    await records.sql(`INSERT INTO "Check" (text, "stepId") VALUES ('c', 2)`);
    const rejected = [409, "ForeignKeyConstraint"];
    for (const path of ["/projects/1", "/tasks/1", "/steps/2", "/projects/2", "/projects/many?id__in=2,3"])
      expect([path, ...((await statusOf("DELETE", path)) as unknown[]).slice(0, 2)]).toEqual([path, ...rejected]);
    expect(await lists()).toEqual(everything);
    // A deleted row prevents nothing.
    expect(await statusOf("DELETE", "/checks/1")).toEqual([204]);
    expect(await statusOf("DELETE", "/projects/1")).toEqual([204]);
    expect(await statusOf("DELETE", "/projects/3")).toEqual([204]);
    expect(await lists()).toEqual({ projects: [2], tasks: [3], steps: [3] });
  });

  it("of a thousand and more rows below includes all of them, and so does the restore", async () => {
    await records.sql(`INSERT INTO "Task" (title, "projectId") SELECT 'many', 3 FROM generate_series(1, 2100)`);
    const present = async () => records.sql(`SELECT count(*)::int AS n FROM "Task" WHERE "removedAt" IS NULL`);
    await records.sql(
      `INSERT INTO "Step" (text, "taskId") SELECT 'last', id FROM "Task" WHERE title = 'many' ORDER BY id DESC LIMIT 1`,
    );
    expect(await statusOf("DELETE", "/projects/3")).toEqual([204]);
    expect(await present()).toEqual([{ n: 3 }]);
    expect(await idsOf("/steps")).toEqual([1, 2, 3]);
    expect(await statusOf("POST", "/projects/3/restore")).toEqual([200]);
    expect(await present()).toEqual([{ n: 2103 }]);
    expect(await idsOf("/steps")).toEqual([1, 2, 3, 4]);
  });
});

describe("C101 a parent that is deleted between the check of the body and the write", () => {
  /** Deletes the second project and the second task as another request would, before the rows are written. */
  const deleteMeanwhile: RequestHandler = async (_request, _response, next) => {
    await records.sql(`UPDATE "Project" SET "deletedAt" = now() WHERE id = 2`);
    await records.sql(`UPDATE "Task" SET "removedAt" = now() WHERE id = 2`);
    next();
  };
  const hooks = Object.fromEntries(
    ["CreateOne", "CreateMany", "UpdateOne", "UpdateMany"].map((name) => [`before${name}`, deleteMeanwhile]),
  );
  const hooked = { ...models, Task: { ...models.Task, hooks }, Step: { ...models.Step, hooks } };
  const task = (projectId: number, more: object = {}) => ({ title: "new", projectId, ...more });

  it.each<[string, string, unknown, readonly string[]]>([
    ["POST", "/tasks", task(2), ["/projectId"]],
    ["POST", "/tasks", { title: "new", project: { id: 2 } }, ["/project"]],
    ["POST", "/tasks/many", [task(1), task(2), task(3), task(2)], ["/1/projectId", "/3/projectId"]],
    ["POST", "/tasks/many", { data: [task(1), task(2)] }, ["/data/1/projectId"]],
    ["POST", "/tasks/many", [task(1), task(2, { steps: [{ text: "s" }] })], ["/1/projectId"]],
    ["PATCH", "/tasks/1", { projectId: 2 }, ["/projectId"]],
    [
      "PATCH",
      "/tasks/many",
      [
        { id: 3, title: "c" },
        { id: 1, projectId: 2 },
      ],
      ["/1/projectId"],
    ],
    ["PATCH", "/tasks/many?id__in=1,3", { projectId: 2 }, ["/projectId"]],
    ["POST", "/steps", { text: "new", taskId: 2 }, ["/taskId"]],
  ])("is missing for %s %s %j", async (method, path, body, places) => {
    const before = await records.sql(`SELECT * FROM "Task" ORDER BY id`);
    const other = await records.serve(hooked);
    const response = await other.call(method, path, { body });
    expect([response.status, response.body.code]).toEqual([400, "RelatedRecordNotFound"]);
    expect(response.body.errors.map((issue: { path: string }) => issue.path)).toEqual(places);
    const columns = (rows: readonly object[]) => rows.map((row) => ({ ...row, removedAt: null }));
    expect(columns(await records.sql(`SELECT * FROM "Task" ORDER BY id`))).toEqual(columns(before));
  });

  it("is missing for an update that a hook points to it, which is an error of the hook", async () => {
    const moves: RequestHandler = (request, response, next) => {
      request.body = { projectId: 2 };
      return deleteMeanwhile(request, response, next);
    };
    const other = await records.serve({ ...models, Task: { ...models.Task, hooks: { beforeUpdateOne: moves } } });
    const { status } = await other.call("PATCH", "/tasks/1", { body: { title: "x" } });
    expect(status).toBe(500);
    expect(await records.sql(`SELECT "projectId" FROM "Task" WHERE id = 1`)).toEqual([{ projectId: 1 }]);
  });
});

describe("C101 a restore", () => {
  it("requires a deleted row, and present rows above", async () => {
    expect(await statusOf("POST", "/projects/1/restore")).toEqual([409, "NotDeleted", "/id"]);
    expect(await statusOf("POST", "/projects/9/restore")).toEqual([404, "NotFound", "/id"]);
    await call("DELETE", "/steps/1");
    await call("DELETE", "/tasks/1");
    await call("DELETE", "/projects/1");
    expect(await statusOf("POST", "/steps/1/restore")).toEqual([409, "ForeignKeyConstraint", "/task"]);
    expect(await statusOf("POST", "/tasks/1/restore")).toEqual([409, "ForeignKeyConstraint", "/project"]);
    expect(await lists()).toEqual({ projects: [2, 3], tasks: [3], steps: [3] });
    for (const path of ["projects", "tasks", "steps"])
      expect(await statusOf("POST", `/${path}/1/restore`)).toEqual([200]);
    expect(await lists()).toEqual({ ...everything, steps: [1, 2, 3] });
  });

  it("does not exist for models without soft delete", async () => {
    expect(await statusOf("POST", "/notes/1/restore")).toEqual([404, "NotFound", undefined]);
  });
});

describe("C101 the parameters deleted and permanent", () => {
  beforeEach(async () => {
    await call("DELETE", "/projects/1");
  });

  it("list, count and read deleted rows", async () => {
    expect(await idsOf("/projects?deleted=only")).toEqual([1]);
    expect(await idsOf("/projects?deleted=include")).toEqual([1, 2, 3]);
    expect(await idsOf("/projects?deleted=exclude")).toEqual([2, 3]);
    expect(await idsOf("/tasks?deleted=only&title=b")).toEqual([2]);
    const { body } = await call("GET", "/projects/1?deleted=include&include=tasks");
    expect(body.data).toMatchObject({ id: 1, deletedAt: expect.any(String), tasks: [] });
    expect(await statusOf("GET", "/projects/2?deleted=only")).toEqual([404, "NotFound", "/id"]);
    const counts = ["", "&deleted=only", "&deleted=include"].map(async (query) => {
      const { body: groups } = await call("GET", `/projects/aggregate?count=true${query}`);
      return groups.data[0].count;
    });
    expect(await Promise.all(counts)).toEqual([2, 1, 3]);
  });

  it("show the deleted rows that the rule of this right matches", async () => {
    await call("DELETE", "/projects/2");
    const ruled = await records.serve({
      Project: {
        softDelete: { keep: ["notes", "tasks"] },
        aggregate: true,
        auth: { findDeleted: { where: () => ({ id: 2 }) } },
      },
    });
    const found: unknown[] = [];
    for (const query of ["", "deleted=exclude", "deleted=only", "deleted=include"]) {
      const list = await ruled.call("GET", `/projects?${query}`);
      const { body } = await ruled.call("GET", `/projects/aggregate?count=true&${query}`);
      found.push([list.body.data.map(({ id }: { id: number }) => id), body.data[0].count]);
    }
    expect(found).toMatchInlineSnapshot(`
      [
        [
          [
            3,
          ],
          1,
        ],
        [
          [
            3,
          ],
          1,
        ],
        [
          [
            2,
          ],
          1,
        ],
        [
          [
            2,
          ],
          1,
        ],
      ]
    `);
    expect((await ruled.call("GET", "/projects/1?deleted=only")).status).toBe(404);
    expect((await ruled.call("GET", "/projects/2?deleted=only")).status).toBe(200);
  });

  it("delete rows permanently, deleted or not", async () => {
    const { body } = await call("DELETE", "/projects/many?permanent=true&deleted=only&title__in=one,two");
    expect(body.meta).toEqual({ count: 1 });
    expect(await statusOf("DELETE", "/projects/2?permanent=true")).toEqual([204]);
    expect(await records.sql(`SELECT id FROM "Project"`)).toEqual([{ id: 3 }]);
    expect(await statusOf("DELETE", "/projects/3?permanent=false")).toEqual([204]);
    expect(await records.sql(`SELECT id FROM "Project"`)).toEqual([{ id: 3 }]);
    expect(await statusOf("DELETE", "/projects/3?permanent=true")).toEqual([204]);
    expect(await records.sql(`SELECT id FROM "Project"`)).toEqual([]);
  });

  it.each([
    ["GET", "/projects?deleted=yes", "/deleted"],
    ["GET", "/projects?deleted=only&deleted=only", "/deleted"],
    ["DELETE", "/projects/2?permanent=1", "/permanent"],
    ["DELETE", "/projects/many?deleted=only", "/deleted"],
    ["GET", "/notes?deleted=only", "/deleted"],
  ])("reject %s %s", async (method, path, place) => {
    const [status, , where] = (await statusOf(method, path)) as unknown[];
    expect([status, where]).toEqual([400, place]);
  });
});

it("C101 reports every model whose soft delete cannot work", () => {
  const issuesOf = (given: object): unknown => {
    try {
      checkModelConfigs(given as never, recordModels);
      return [];
    } catch (error) {
      return (error as { issues: { where: string; message: string }[] }).issues.map(
        ({ where, message }) => `${where}: ${message}`,
      );
    }
  };
  expect(issuesOf(models)).toEqual([]);
  expect([
    ...(issuesOf({
      Project: { softDelete: { keep: ["tasks", "bills", "taks"] }, writable: ["deletedAt"] },
      Task: { softDelete: true },
      Step: { softDelete: { field: "text" } },
      Country: { softDelete: { field: "name" } },
      Check: { operations: { restoreOne: true }, auth: { findDeleted: true, deletePermanently: false } },
      Page: { softDelete: { field: "year" } },
    }) as string[]),
    ...(issuesOf({ Project: { softDelete: { field: "updatedAt" } } }) as string[]),
  ]).toMatchInlineSnapshot(`
    [
      "models.Project.writable: deletedAt is the time of the deletion, which no body can set. Remove it.",
      "models.Project.softDelete: Note.project has onDelete: Cascade, and Note has no soft delete. Set softDelete of Note, or list notes in softDelete.keep, so that its rows stay.",
      "models.Project.softDelete.keep: The rows of tasks have soft delete, so they are deleted and restored too. Remove it.",
      "models.Project.softDelete.keep: Unknown relation with onDelete: Cascade bills; expected one of notes.",
      "models.Project.softDelete.keep: Unknown relation with onDelete: Cascade taks; expected one of notes.",
      "models.Task.softDelete: Task has no field deletedAt. Add deletedAt DateTime? to the model, or name its field in softDelete.field.",
      "models.Step.softDelete.field: text of Step has the type String. Expected an optional DateTime.",
      "models.Country.softDelete.field: name of Country has the type String. Expected an optional DateTime.",
      "models.Check.operations.restoreOne: Check has no soft delete. Set softDelete, or remove this key.",
      "models.Check.auth.findDeleted: Check has no soft delete. Set softDelete, or remove this key.",
      "models.Check.auth.deletePermanently: Check has no soft delete. Set softDelete, or remove this key.",
      "models.Page.softDelete.field: year of Page has the type Int. Expected an optional DateTime.",
      "models.Project.softDelete.field: updatedAt of Project is required. Expected an optional DateTime.",
      "models.Project.softDelete: Task.project has onDelete: Cascade, and Task has no soft delete. Set softDelete of Task, or list tasks in softDelete.keep, so that its rows stay.",
      "models.Project.softDelete: Note.project has onDelete: Cascade, and Note has no soft delete. Set softDelete of Note, or list notes in softDelete.keep, so that its rows stay.",
    ]
  `);
});
