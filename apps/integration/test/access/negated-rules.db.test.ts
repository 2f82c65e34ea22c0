import { afterAll, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import type { DrawnFeature } from "../invariants/cases.js";
import { dropDatabases } from "../invariants/databases.js";
import { startCase } from "../invariants/start-case.js";

afterAll(dropDatabases);

/** A condition on a related row that is unknown, and so is its negation: its text is null. */
const unknown = { note: { contains: "a" } };
const rules = {
  isNot: { area: { isNot: { NOT: unknown } } },
  is: { NOT: { area: { is: unknown } } },
};

const features = (where: object, more: readonly DrawnFeature[]): readonly DrawnFeature[] => [
  { key: "access", model: "Entry", value: { find: true, create: true, update: true, delete: true } },
  { key: "rowRule", model: "Entry", value: { MEMBER: { where }, EDITOR: true, AUDITOR: true, others: true } },
  ...more,
];
const area = { id: 3, name: "a", note: null, budget: 7, isOpen: true, ownerId: 4, parentId: null, tenantId: 1 };
const entry = {
  at: "2024-03-31T01:30:00.123Z",
  limit: 7,
  sort: null,
  isOpen: false,
  ownerId: 2,
  areaId: 3,
  tenantId: 1,
};
const rows = [
  { model: "Area", values: area },
  { model: "Entry", values: entry },
];
const recorded: DrawnFeature = { key: "changes", model: "Entry", value: { history: true, events: false } };

const cases = providers.flatMap((provider) =>
  (["isNot", "is"] as const).flatMap((name) => [
    { provider, name, more: [] as readonly DrawnFeature[] },
    ...(provider === "postgresql" ? [{ provider, name, more: [recorded] }] : []),
  ]),
);

it.each(cases)(
  "C57 no write reaches a row for which a rule is unknown, on $provider with $name ($more.length features)",
  async ({ provider, name, more }) => {
    const setup = { provider, features: features(rules[name], more), rows };
    const running = await startCase(setup, inject("postgresUrl"));
    try {
      const key = encodeURIComponent(entry.at);
      const send = (method: string, target: string, body?: object) =>
        running.send({ caller: "mary", method, target: `/entries${target}`, ...(body === undefined ? {} : { body }) });
      expect((await send("GET", "")).body.data).toEqual([]);
      expect((await send("GET", `/${key}`)).status).toBe(404);
      expect((await send("PATCH", `/${key}`, { limit: 8 })).status).toBe(404);
      expect((await send("DELETE", `/${key}`)).status).toBe(404);
      expect((await send("PATCH", "/many?limit__equals=7", { limit: 8 })).body.meta.count).toBe(0);
      expect((await send("DELETE", "/many?limit__equals=7")).body?.meta?.count ?? 0).toBe(0);
      expect((await running.tables()).Entry).toMatchObject([{ limit: 7 }]);
    } finally {
      await running.close();
    }
  },
);
