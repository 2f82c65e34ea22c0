import { prismaExecutor, sqlExecutor } from "@servicekit/prisma/internal";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { splitExecutor } from "../../../scripts/test/split-executor.js";
import { makeWorld, type World } from "./guarded.js";

let world: World;
/** The reads of which the database created the JSON. */
const asJson: string[] = [];
beforeAll(async () => {
  world = await makeWorld(inject("postgresUrl"), (client, models) => {
    const bySql = sqlExecutor({ client, link: adapterOf(client).link, models, schema: "public" });
    const executor = splitExecutor({ reads: [bySql, prismaExecutor], writes: [prismaExecutor] });
    return {
      executor: (options) => {
        const made = executor(options);
        return {
          ...made,
          prepare: (model, query, seen) => {
            const run = made.prepare(model, query, seen);
            return async () => {
              const result = (await run?.()) ?? { rows: [] };
              if ("json" in result) asJson.push(`${query.operation} ${model.name}`);
              return result;
            };
          },
        };
      },
    };
  });
});
afterAll(() => world?.close());

it("C30 a row rule leaves the reads of other models as they are: JSON in one statement with the total", async () => {
  const { call } = await world.serve({ models: { Publisher: { auth: { where: () => ({ city: "Bern" }) } } } });
  await call("POST", "/tags", { name: "a" });
  for (const path of ["/tags", "/tags/a", "/books?include=tags", "/publishers", "/books?include=publisher"]) {
    asJson.length = 0;
    await call("GET", path);
    // The publisher of a book is read by itself, with the rule.
    expect([path, asJson]).toEqual([path, path.endsWith("publisher") ? [] : [expect.stringMatching(/^find/)]]);
  }
});
