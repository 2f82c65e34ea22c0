import { beforeEach, describe, expect, it } from "vitest";
import type { Query } from "../../src/database/executor.js";
import type { SqlLink } from "../../src/database/sql-link.js";
import { toModelsData } from "../../src/generator/index.js";
import type { Model } from "../../src/models/model.js";
import { readModels } from "../../src/models/read-models.js";
import { chooseEngine } from "../../src/sql/choose-engine.js";
import { readDataModel } from "../kinds-models.js";

const text = `datasource db {\n  provider = "postgresql"\n}
  model Word {
    id    Int    @id
    text  String @db.Citext
    notes Note[]
  }
  model Note {
    id     Int    @id
    title  String
    wordId Int
    word   Word   @relation(fields: [wordId], references: [id])
  }
  model Machine {
    id          Int    @id
    constructor String
  }`;
const models = readModels(toModelsData(readDataModel([["schema.prisma", text]]), text));

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

/** A client and a link that note which of them ran a query. */
const delegate = new Proxy({}, { get: () => async () => void ran.push("prisma") });
const client = {
  ...{ word: delegate, note: delegate, machine: delegate },
  _engineConfig: {},
  $on: () => undefined,
};
const link: SqlLink = {
  isOpen: () => true,
  query: async () => {
    ran.push("sql");
    return [];
  },
  decimal: Number,
};
const executor = chooseEngine({ client, adapter: { link }, models, schema: "public" }).executor(client);

const note = { id: true, title: true };
const cases: readonly (readonly [string, string, Query, "sql" | "prisma"])[] = [
  ["an eligible model", "Note", { operation: "findUnique", args: { where: { id: 1 }, select: note } }, "sql"],
  ["a count of an eligible model", "Note", { operation: "count", args: { where: { title: "a" } } }, "sql"],
  [
    "related rows of a model that is not eligible",
    "Note",
    { operation: "findUnique", args: { where: { id: 1 }, select: { id: true, word: { select: { id: true } } } } },
    "prisma",
  ],
  ["a filter on such rows", "Note", { operation: "count", args: { where: { word: { is: { id: 1 } } } } }, "prisma"],
  ["an opaque filter", "Note", { operation: "count", args: { where: { title: { search: "a" } } } }, "prisma"],
  [
    "supported fields of a model that is not eligible",
    "Word",
    { operation: "findUnique", args: { where: { id: 1 }, select: { id: true } } },
    "prisma",
  ],
  ["a count of it", "Word", { operation: "count", args: {} }, "prisma"],
  ["a model with a field named constructor", "Machine", { operation: "count", args: {} }, "prisma"],
];

describe("C71 the engine of a query", () => {
  it.each(cases)("runs %s on the right engine", async (_what, name, query, engine) => {
    await executor
      .prepare(models.get(name) as Model, query)?.()
      .catch(() => undefined);
    expect(ran).toEqual([engine]);
  });
});
