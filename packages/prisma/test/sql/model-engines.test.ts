import { describe, expect, it } from "vitest";
import { toModelsData } from "../../src/generator/index.js";
import { readModels } from "../../src/models/read-models.js";
import { makePostgresAdapter } from "../../src/postgres/make-postgres-adapter.js";
import { modelEngines } from "../../src/sql/model-engines.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { models } from "../kinds.js";
import { readDataModel } from "../kinds-models.js";

// Nothing connects.
const adapter = makePostgresAdapter({ url: "postgresql://localhost:1/none" });
const client = new PrismaClient({ adapter });

describe("C71 the engine of a model", () => {
  it("is SQL for every model of a plain client, whose fields all have a known type and default", () => {
    const engines = modelEngines(client, models, "auto");
    expect([...engines.keys()]).toEqual([...models.keys()]);
    expect([...engines.values()].map(({ engine }) => engine)).toEqual([...models].map(() => "sql"));
    for (const name of ["Tag", "Preset", "Native"])
      expect(engines.get(name), name).toEqual({ engine: "sql", fieldsByPrisma: [] });
  });

  it.each([
    ["has extensions", client.$extends({ query: {} }), "the Prisma client has extensions"],
    [
      "logs its queries",
      new PrismaClient({ adapter, log: [{ emit: "event", level: "query" }] }),
      "the Prisma client logs its queries",
    ],
    ["is none of Prisma's", { $on: () => undefined }, "the Prisma client logs its queries"],
  ])("is Prisma Client for every model if the client %s", (_name, given, reason) => {
    const engines = modelEngines(given, models, "auto");
    expect([...engines.values()]).toEqual([...models].map(() => ({ engine: "prisma", reason })));
  });

  it("is Prisma Client for every model if Prisma enforces the relations of the schema", () => {
    const text = `datasource db {\n  provider = "postgresql"\n  relationMode = "prisma"\n}
      model Word {
        id Int @id
      }`;
    const own = readModels(toModelsData(readDataModel([["schema.prisma", text]]), text));
    const reason = 'the Prisma schema sets relationMode = "prisma"';
    expect(modelEngines(client, own, "auto").get("Word")).toEqual({ engine: "prisma", reason });
  });

  it("is Prisma Client for every model if the configuration sets it", () => {
    const reason = 'database.engine is "prisma"';
    expect(modelEngines(client, models, "prisma").get("Tag")).toEqual({ engine: "prisma", reason });
  });

  it("is Prisma Client only for models with a field that SQL does not support", () => {
    const text = `datasource db {\n  provider = "postgresql"\n}
      model Word {
        text String @id @db.Citext
        not  Int[]
      }
      model Machine {
        id          Int    @id
        constructor String
      }
      model Note {
        id    String @id @default(cuid(2))
        title String
      }`;
    const own = readModels(toModelsData(readDataModel([["schema.prisma", text]]), text));
    expect(Object.fromEntries(modelEngines(client, own, "auto"))).toEqual({
      Word: { engine: "prisma", reason: "SQL does not support text (String @db.Citext), not (Int[])" },
      Machine: { engine: "prisma", reason: "SQL does not support constructor (String)" },
      Note: { engine: "sql", fieldsByPrisma: ["id (default cuid())"] },
    });
  });
});
