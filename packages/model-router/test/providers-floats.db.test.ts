import { type PrismaClientLike, readModels } from "@servicekit/prisma";
import { prismaExecutor } from "@servicekit/prisma/internal";
import { makeMysqlAdapter } from "@servicekit/prisma/mysql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProviderDatabase, providers } from "../../../scripts/test/provider-database.js";
import { PrismaClient } from "./generated/portable-mysql/client/client.js";
import { models as data } from "./generated/portable-mysql/models.js";
import { startPortable } from "./portable.js";
import { type Served, serveModels } from "./serve-models.js";

const place = { project: "packages/model-router", fixture: "portable" };

describe.each(providers.filter((provider) => provider !== "postgresql"))("C113, C119 floats of %s", (provider) => {
  it.each(["NaN", "Infinity", "-Infinity"])("reject %s in conditions, with the place", async (value) => {
    const service = await startPortable(provider, "");
    try {
      for (const path of [`/values?float=${value}`, `/values?float__lt=${value}`, `/values?float__in=1,${value}`]) {
        const { status, body } = await service.call("GET", path);
        expect([path, status, body]).toMatchObject([
          path,
          400,
          { errors: [{ in: "query", path: expect.stringMatching(/^\/float/), code: "InvalidValue" }] },
        ]);
      }
      const { status } = await service.call("DELETE", `/values/many?float=${value}`);
      expect(status).toBe(400);
    } finally {
      await service.close();
    }
  });
});

describe.skipIf(!providers.includes("mysql"))("C119 a column of single precision", () => {
  let service: Served;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const { url, drop } = await createProviderDatabase("mysql", "", place);
    const client = new PrismaClient({ adapter: makeMysqlAdapter({ url }) });
    await client.$executeRawUnsafe("ALTER TABLE `all values` MODIFY `float` FLOAT");
    const single = { name: "Float", args: [] };
    const models = data.models.map((model) => ({
      ...model,
      fields: model.fields.map((field) => (field.name === "float" ? { ...field, nativeType: single } : field)),
    }));
    service = await serveModels(
      client as unknown as PrismaClientLike,
      readModels({ ...data, models }),
      {},
      [],
      {},
      {
        executor: prismaExecutor,
      },
    );
    close = async () => {
      await service.stop();
      await client.$disconnect();
      await drop();
    };
  });
  afterAll(() => close?.());

  it("returns the number that was written, and finds it", async () => {
    const { status, body } = await service.call("POST", "/values", { float: 0.1 });
    expect([status, body]).toMatchObject([201, { data: { float: 0.1 } }]);
    const found = async (query: string) => (await service.call("GET", `/values?fields=float&${query}`)).body;
    expect(await found("float=0.1")).toMatchObject({ data: [{ float: 0.1 }] });
    expect(await found("float__gt=0.1")).toMatchObject({ data: [] });
    expect(await found("float__lte=0.1")).toMatchObject({ data: [{ float: 0.1 }] });
  });

  it("rejects a number that it would round, and an order with a cursor", async () => {
    const rejected = await service.call("POST", "/values", { float: 0.123456789 });
    expect([rejected.status, rejected.body]).toMatchObject([400, { errors: [{ in: "body", path: "/float" }] }]);
    const { status, body } = await service.call("GET", "/values?sort=float&cursor=");
    expect([status, body]).toMatchObject([400, { errors: [{ in: "query", path: "/cursor" }] }]);
  });
});
