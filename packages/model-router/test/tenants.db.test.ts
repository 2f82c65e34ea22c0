import { makeIssueList } from "@servicekit/core/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ModelConfig, TenantConfig } from "../src/index.js";
import { applyTenant, makeTenantValues } from "../src/internal.js";
import { type Call, type Records, recordModels, startRecords, type User } from "./records.js";

const tenant: TenantConfig = {
  field: "companyId",
  of: ({ user }) => user.company,
  shared: ["Country", "Step", "Check", "Bill", "Note", "Page"],
};
const everyone = { auth: { all: ["*"] } } as const;
const ann: User = { id: 1, company: 1 };
const bob: User = { id: 2, company: 2 };
const withoutTenant: User = { id: 3 };
const root: User = { id: 4, isSuperUser: true };

let records: Records;
beforeAll(async () => {
  records = await startRecords(inject("postgresUrl"));
});
beforeEach(async () => {
  await records.clear();
  await records.sql(`INSERT INTO "Company" (name) VALUES ('A'), ('B')`);
  await records.sql(`INSERT INTO "Country" VALUES ('CH', 'Switzerland')`);
  await records.sql(
    `INSERT INTO "Project" (title, "companyId", "updatedAt") VALUES ('a', 1, now()), ('b', 2, now()), ('b2', 2, now()), ('none', NULL, now())`,
  );
  await records.sql(`INSERT INTO "Task" (title, "companyId", "projectId") VALUES ('x', 1, 1), ('y', 2, 2)`);
});
afterAll(() => records?.close());

/** The routes of the models of tenants. */
async function serve(configs: Readonly<Record<string, ModelConfig>> = {}): Promise<Call> {
  const issues = makeIssueList();
  const own = Object.fromEntries([...recordModels.keys()].map((name) => [name, { ...everyone, ...configs[name] }]));
  const applied = applyTenant(tenant, { models: recordModels, configs: own }, [], issues);
  issues.throwIfAny();
  const options = { models: applied.models, newValues: makeTenantValues(applied.models, tenant) };
  return (await records.serve(applied.configs, options, true)).call;
}

const idsOf = async (call: Call, path: string, user?: User): Promise<unknown> => {
  const { status, body } = await call("GET", path, { user });
  return status === 200 ? body.data.map((row: { id?: number; code?: string }) => row.id ?? row.code) : status;
};

describe("C100 a caller", () => {
  it("reaches the rows of its tenant, the row of the tenant itself, and shared rows", async () => {
    const call = await serve();
    expect(await idsOf(call, "/projects", ann)).toEqual([1]);
    expect(await idsOf(call, "/projects", bob)).toEqual([2, 3]);
    expect(await idsOf(call, "/projects", withoutTenant)).toEqual([]);
    expect(await idsOf(call, "/projects", { id: 5, company: null })).toEqual([]);
    expect(await idsOf(call, "/projects", root)).toEqual([1, 2, 3, 4]);
    expect(await idsOf(call, "/projects")).toBe(401);
    expect(await idsOf(call, "/companies", ann)).toEqual([1]);
    expect(await idsOf(call, "/companies", withoutTenant)).toEqual([]);
    expect(await idsOf(call, "/countries", withoutTenant)).toEqual(["CH"]);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const { status } = await call(method, "/projects/2", {
        user: ann,
        ...(method === "PATCH" ? { body: { title: "x" } } : {}),
      });
      expect([method, status]).toEqual([method, 404]);
    }
  });

  it("creates rows of its tenant, which no body sets", async () => {
    const call = await serve();
    const create = async (path: string, user: User, body: unknown) => {
      const response = await call("POST", path, { user, body });
      return [response.status, response.body.data ?? response.body.errors?.[0]?.path];
    };
    expect(await create("/projects", bob, { title: "new" })).toMatchObject([201, { id: 5, companyId: 2 }]);
    expect(await create("/projects", bob, { title: "new", companyId: 1 })).toEqual([400, "/companyId"]);
    expect(await create("/tasks", bob, { title: "t", projectId: 1 })).toEqual([400, "/projectId"]);
    expect(await create("/countries", withoutTenant, { code: "IT", name: "Italy" })).toMatchObject([
      201,
      { code: "IT" },
    ]);
    expect((await create("/projects", withoutTenant, { title: "new" }))[0]).toBe(403);
    expect(await create("/projects", root, { title: "new" })).toMatchObject([201, { companyId: null }]);
    expect(await create("/projects", { ...ann, isSuperUser: true }, { title: "new" })).toMatchObject([
      201,
      { companyId: 1 },
    ]);
  });

  it("is still subject to the row rule of the model", async () => {
    const rules: ModelConfig["auth"][] = [
      { where: () => ({ title: "b" }) },
      { where: () => false },
      { where: () => true },
      { where: async () => ({}) },
    ];
    const found: unknown[] = [];
    for (const auth of rules) {
      const call = await serve({ Project: { auth: { ...everyone.auth, ...auth } } });
      found.push(await idsOf(call, "/projects", bob), await idsOf(call, "/projects", withoutTenant));
    }
    expect(found).toEqual([[2], [], [], [], [2, 3], [], 500, []]);
  });
});

describe("C100 the configuration of tenants", () => {
  const issuesOf = (
    given: Partial<TenantConfig>,
    configs: Readonly<Record<string, ModelConfig>> = {},
    exempt: readonly string[] = [],
  ): readonly string[] => {
    const issues = makeIssueList();
    applyTenant({ ...tenant, ...given }, { models: recordModels, configs }, exempt, issues);
    try {
      issues.throwIfAny();
      return [];
    } catch (error) {
      return (error as { issues: { where: string; message: string }[] }).issues.map(
        ({ where, message }) => `${where}: ${message}`,
      );
    }
  };

  it("needs the field in each model that is not shared, or that only the service uses", () => {
    expect(issuesOf({})).toEqual([]);
    expect(issuesOf({ shared: ["Country", "Step", "Check"] }, {}, ["Bill", "Note"])).toEqual([
      "tenant: Page has no field companyId. Add the field, or list the model in tenant.shared.",
    ]);
    expect(issuesOf({ shared: [...(tenant.shared ?? []), "Task", "Pag"] })).toEqual([
      "tenant.shared: Task has the field companyId, so its rows belong to tenants.",
      "tenant.shared: Unknown model Pag. Did you mean Page?",
    ]);
    expect(issuesOf({ field: "compnyId" })).toEqual(["tenant.field: Unknown field compnyId. Did you mean companyId?"]);
    expect(issuesOf({ field: "company" })).toEqual(["tenant.field: Unknown field company. Did you mean companyId?"]);
  });

  it("leaves no field or relation writable that sets the tenant", () => {
    expect(
      issuesOf(
        {},
        { Project: { writable: ["company", "companyId", "score", "tasks"] }, Task: { writable: ["steps"] } },
      ),
    ).toEqual([
      "models.Project.writable: company sets the tenant of a row, which no body can set. Remove it.",
      "models.Project.writable: companyId sets the tenant of a row, which no body can set. Remove it.",
    ]);
  });
});
