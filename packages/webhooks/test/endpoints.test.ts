import type { Database } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { makeEndpoints, type WebhookModels } from "../src/index.js";

type Row = Readonly<Record<string, unknown>>;

const models = { webhook: { name: "Webhook" }, delivery: {} } as unknown as WebhookModels;
const webhook = (id: string, values: Row): Row => ({
  ...{ id, url: `https://${id}.example/`, events: ["order.created"], active: true, deletedAt: null },
  ...{ currentSecret: "x", previousSecret: null, previousSecretEndsAt: null, failingSince: null, ...values },
});

/** A database with these webhooks. */
function withRows(...rows: readonly Row[]): Database {
  const matches = (where: Row) => (row: Row) => Object.entries(where).every(([name, value]) => row[name] === value);
  const delegate = {
    findMany: async ({ where }: { readonly where: Row }) => rows.filter(matches(where)),
    findUnique: async ({ where }: { readonly where: Row }) => rows.find(matches(where)) ?? null,
  };
  return { of: () => delegate } as unknown as Database;
}

it("C112 finds active webhooks, and none that is soft-deleted", async () => {
  const rows = [webhook("a", {}), webhook("b", { active: false }), webhook("c", { deletedAt: new Date() })];
  const endpoints = makeEndpoints(withRows(...rows), models, [], "deletedAt");
  expect((await endpoints.active()).map(({ name }) => name)).toEqual(["id:a"]);
  const found = await Promise.all(["id:a", "id:b", "id:c", "id:d"].map((name) => endpoints.find(name)));
  expect(found.map((endpoint) => endpoint?.name)).toEqual(["id:a", undefined, undefined, undefined]);
  expect([endpoints.lastKnown("id:a")?.url, endpoints.lastKnown("id:c")]).toEqual(["https://a.example/", undefined]);
});
