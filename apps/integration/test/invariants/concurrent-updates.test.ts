import { afterAll, describe, expect, inject, it } from "vitest";
import type { DrawnFeature, DrawnRow, Setup } from "./cases.js";
import { dropDatabases } from "./databases.js";
import { withRestore } from "./restore-rows.js";
import { whileLocked } from "./row-locks.js";
import { startCase } from "./start-case.js";

afterAll(dropDatabases);

const item = (id: string): DrawnRow => ({ model: "Item", values: { id, title: "old", areaId: 1, tenantId: 1 } });
const rows: readonly DrawnRow[] = [
  { model: "Label", values: { name: "a" } },
  { model: "Area", values: { id: 1, name: "one" } },
  { model: "Area", values: { id: 2, name: "two" } },
  item("i"),
  item("j"),
];
const models = ["Label", "Area", "Item"];
const title = "new";

const softDelete: DrawnFeature = {
  key: "softDelete",
  model: "Item",
  value: { findDeleted: ["AUDITOR"], restoreOne: true, deletePermanently: ["AUDITOR"] },
};
const common: readonly DrawnFeature[] = [
  ...models.map((model) => ({
    ...{ key: "access", model },
    value: { find: true, create: true, update: true, delete: true },
  })),
  { key: "writable", model: "Item", value: ["area", "labels"] },
  { key: "writable", model: "Area", value: ["items"] },
  { key: "writable", model: "Label", value: ["items"] },
  { key: "upsert", model: "Item", value: true },
];
const changes: DrawnFeature = { key: "changes", model: "Item", value: { history: true, events: false } };

/** The paths that change the row `i`. */
const requests: Readonly<Record<string, readonly [method: string, target: string, body?: unknown]>> = {
  "an update": ["PATCH", "/items/i", { title }],
  "an update with a relation": ["PATCH", "/items/i", { title, labels: [{ name: "a" }] }],
  "a replacement": ["PUT", "/items/i", { title, areaId: 1 }],
  "an upsert": ["POST", "/items/many?onConflict=id", [{ id: "i", title, areaId: 1 }]],
  "a bulk update by key of one row": ["PATCH", "/items/many", [{ id: "i", title }]],
  "a bulk update by key of two rows": [
    "PATCH",
    "/items/many",
    [
      { id: "j", title },
      { id: "i", title },
    ],
  ],
  "a bulk update by key with a relation": ["PATCH", "/items/many", [{ id: "i", title, labels: [{ name: "a" }] }]],
  "a bulk update by a filter": ["PATCH", "/items/many?id=i", { title }],
  "a bulk update by a filter with a relation": ["PATCH", "/items/many?id=i", { title, labels: [{ name: "a" }] }],
  "an update through a list": ["PATCH", "/areas/1", { items: [{ id: "i", title }] }],
  "an update through a link": ["PATCH", "/labels/a", { items: [{ id: "i", title }] }],
  "a connect": ["PATCH", "/areas/2", { items: [{ id: "i" }] }],
  "a connect of a new row": ["POST", "/areas", { name: "three", items: [{ id: "i" }] }],
};
const removals: Readonly<Record<string, { readonly features: readonly DrawnFeature[]; readonly set: string }>> = {
  "is deleted": { features: [softDelete], set: `"deletedAt" = now()` },
  "is deleted and recorded": { features: [softDelete, changes], set: `"deletedAt" = now()` },
  "moves to another tenant": { features: [{ key: "tenant", value: true }], set: `"tenantId" = 2` },
};

describe("a request that waits for a row which leaves its reach", () => {
  it.each(Object.keys(removals))("C101 changes no row if the row %s", async (removal) => {
    const { features = [], set = "" } = removals[removal] ?? {};
    const setup: Setup = { provider: "postgresql", features: [...common, ...features], rows };
    const written: string[] = [];
    const running = await startCase(setup, inject("postgresUrl"));
    try {
      await withRestore("postgresql", running.databaseUrl, running.models, async (restore) => {
        for (const [name, [method, target, body]] of Object.entries(requests)) {
          await restore();
          const statement = `UPDATE "item list" SET ${set} WHERE id = 'i'`;
          const [reply] = await whileLocked(running.databaseUrl, statement, () => [
            running.send({ caller: "mary", method, target, body }),
          ]);
          const { Item: items = [] } = await running.tables();
          const state = items.map((row) => [row.title, row.areaId, row.labels]);
          if (JSON.stringify(state) !== '[["old",1,[]],["old",1,[]]]') {
            written.push(`${name}: ${reply?.status} ${JSON.stringify(state)}`);
          }
        }
      });
    } finally {
      await running.close();
    }
    expect(written).toEqual([]);
  });
});

describe("a bulk update that waits while one of its rows is created", () => {
  const engines: Readonly<Record<string, readonly DrawnFeature[]>> = {
    sql: [],
    prisma: [{ key: "prismaEngine", value: true }],
  };

  it.each(Object.keys(engines))("C129 records every changed row with the engine %s", async (engine) => {
    const access = { key: "access", model: "Label", value: { find: true, create: true, update: true, delete: true } };
    const recorded = { key: "changes", model: "Label", value: { history: true, events: false } };
    const setup: Setup = { provider: "postgresql", features: [access, recorded, ...(engines[engine] ?? [])], rows };
    const running = await startCase(setup, inject("postgresUrl"));
    try {
      const statement = `INSERT INTO "Label" (name) VALUES ('b'); UPDATE "Label" SET colour = 'blue' WHERE name = 'a'`;
      const colour = "red";
      const body = ["a", "b"].map((id) => ({ id, colour }));
      const request = { caller: "mary", method: "PATCH", target: "/labels/many", body } as const;
      await whileLocked(running.databaseUrl, statement, () => [running.send(request)]);
      const { Label: labels = [] } = await running.tables();
      const names = labels.filter((label) => label.colour === colour).map(({ name }) => name);
      const updates = (await running.changes()).filter(({ operation }) => operation === "update");
      expect(updates.map(({ key }) => key).sort()).toEqual(names);
    } finally {
      await running.close();
    }
  });
});
