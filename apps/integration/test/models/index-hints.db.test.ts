import path from "node:path";
import type { RunningService } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { PrismaClient } from "../../../../packages/service/test/generated/webhooks/client/client.js";
import { models } from "../../../../packages/service/test/generated/webhooks/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";

const { init, closeAll, logged } = makeStarter();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;

function start(NODE_ENV: string): Promise<RunningService> {
  return init(
    {
      timeouts: { poolWait: 60_000 },
      middlewares: { rateLimit: { limit: 1_000_000 } },
      database: {
        models,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: { Order: {}, Firm: {}, Webhook: { operations: { findMany: true } } },
    },
    { environment: { NODE_ENV, DATABASE_URL: created.url } },
  );
}

const hints = () =>
  logged().flatMap(({ model, query, index }) => (index === undefined ? [] : [[model, query, index].join(" | ")]));

async function list(service: RunningService, ...queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    const response = await fetch(`${service.url}/api/${query}`);
    expect([query, response.status]).toEqual([query, 200]);
    await response.arrayBuffer();
  }
}

beforeAll(async () => {
  created = await createPushedDatabase(
    inject("postgresUrl"),
    path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/webhooks/schema.prisma"),
  );
});
afterEach(closeAll);
afterAll(() => created?.drop());

describe("C126 missing indexes", () => {
  it("are logged once per shape of a list, after the response, in development", async () => {
    const service = await start("development");
    await list(
      service,
      "orders?title=a",
      "orders?title=b&limit=5",
      "orders?firmId=1&total__gte=5&sort=-title",
      "orders?sort=title",
      // Supported by an index, or by none of this kind.
      "orders",
      "orders?id=1",
      "orders?title__contains=a",
      "orders?or[0][title]=a&or[1][title]=b",
      "orders?firm__name=a",
      "orders?title__in=a,b&sort=firm.name",
      "webhooks?createdAt__gte=2026-01-01T00:00:00Z&active=true",
    );
    const expected = [
      "Order | title__equals=…&sort=id | @@index([title])",
      "Order | firmId__equals=…&total__gte=…&sort=-title,id | @@index([firmId, total, title])",
      "Order | sort=title,id | @@index([title])",
      "Order | title__in=…&sort=firm,id | @@index([title])",
      "Webhook | createdAt__gte=…&active__equals=…&sort=id | @@index([active, createdAt])",
    ];
    await expect
      .poll(hints, { timeout: 30_000 })
      .toHaveLength(expected.length)
      .catch(() => undefined);
    expect(hints()).toEqual(expected);
    expect(logged().filter(({ msg }) => msg === "the indexes of a list could not be checked")).toEqual([]);
    expect(logged().find(({ index }) => index !== undefined)?.msg).toBe(
      "No index supports this list of Order. Consider @@index([title]) in the schema.",
    );
  });

  it("are looked for again after the database was unavailable", async () => {
    const service = await start("development");
    const failing = vi.spyOn(client, "$transaction").mockRejectedValueOnce(new Error("unavailable"));
    await list(service, "orders?title=a");
    await expect
      .poll(() => logged().some(({ msg }) => msg === "the indexes of a list could not be checked"))
      .toBe(true);
    expect([failing.mock.calls.length, hints()]).toEqual([1, []]);
    await list(service, "orders?title=b");
    await expect.poll(hints, { timeout: 30_000 }).toEqual(["Order | title__equals=…&sort=id | @@index([title])"]);
  });

  it("are not reported again when the index exists", async () => {
    const service = await start("development");
    await client.$executeRawUnsafe('CREATE INDEX title_index ON "Order" (title)');
    await client.$executeRawUnsafe('CREATE INDEX several ON "Order" ("firmId", total, title)');
    await list(service, "orders?title=a", "orders?firmId=1&total__gte=5&sort=-title", "orders?sort=title");
    await list(service, "orders?sort=-title", "orders?total=1");
    await expect.poll(hints, { timeout: 60_000 }).toEqual(["Order | total__equals=…&sort=id | @@index([total])"]);
    await client.$executeRawUnsafe("DROP INDEX title_index, several");
  });

  it("are not looked for in production", async () => {
    const service = await start("production");
    await list(service, "orders?title=a", "orders?sort=title");
    await service.close();
    expect(logged().some(({ msg }) => typeof msg === "string")).toBe(true);
    expect(hints()).toEqual([]);
  });
});
