import { type Database, type ModelsData, readModels } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { makeTenantCheck } from "./tenant-columns.js";

const models = readModels({
  format: 1,
  enums: [],
  models: [
    {
      name: "Note",
      fields: [
        { kind: "scalar", name: "id", type: "Int" },
        { kind: "scalar", name: "tenant", type: "String" },
      ],
      keys: [{ kind: "id", fields: ["id"] }],
    },
  ],
} as unknown as ModelsData);

/** A database whose columns are inexact until the given time. */
const databaseWith = (find: () => Promise<readonly object[]>) =>
  ({ models, inexactTexts: find }) as unknown as Database;

it("C148 rejects the rule of tenants until the columns were found to compare exactly, and checks them only once", async () => {
  const model = models.get("Note");
  const field = model?.fieldsByName.get("tenant");
  const results = [
    () => Promise.reject(new Error("down")),
    async () => [{ model, field, reason: "the type citext", fix: "Fix it." }],
    async () => [],
  ];
  let calls = 0;
  const check = makeTenantCheck({ field: "tenant", of: () => "a" });
  check.use(databaseWith(() => (results[calls++] ?? (async () => []))()));
  await expect(check.beforeRule()).rejects.toThrow("down");
  await expect(check.beforeRule()).rejects.toMatchObject({
    status: 500,
    cause: { message: expect.stringMatching(/^Note\.tenant has the type citext, .* Fix it\.$/) },
  });
  await Promise.all([check.beforeRule(), check.beforeRule()]);
  expect([check.beforeRule(), calls]).toEqual([undefined, 3]);
});

it("C148 queries nothing without tenants, and for a tenant that is no text", async () => {
  let calls = 0;
  const database = databaseWith(async () => {
    calls++;
    return [];
  });
  const none = makeTenantCheck(undefined);
  none.use(database);
  expect([none.beforeRule(), await none.issues(database)]).toEqual([undefined, []]);
  const ofNumber = makeTenantCheck({ field: "id", of: () => 1 });
  expect([await ofNumber.issues(database), calls]).toEqual([[], 0]);
});
