import { describe, expect, it } from "vitest";
import type { Model } from "../models/model.js";
import type { ModelsData } from "../models/models-data.js";
import { readModels } from "../models/read-models.js";
import type { ReadArgs, Row } from "../queries/query-args.js";
import type { SearchFields } from "../queries/text-search.js";
import { searchFields, searchStorage } from "../search/search-storage.js";
import type { Executor, ReadQuery } from "./executor.js";
import { searchByKeys, withVector } from "./search-by-keys.js";

const vector = { kind: "unsupported", name: "searchVector", type: "tsvector", column: "vector", isOptional: true };

/** A model with two texts, a search of both, and these other fields. */
function modelOf(more: readonly object[], mode: "fullText" | "similarity" = "fullText"): Model {
  const texts = ["name", "note"].map((name) => ({ kind: "scalar", name, type: "String" }));
  const fields = [{ kind: "scalar", name: "id", type: "Int" }, ...texts, ...more];
  const data = { format: 1, enums: [], models: [{ name: "Thing", fields, keys: [{ kind: "id", fields: ["id"] }] }] };
  const model = readModels(data as unknown as ModelsData).get("Thing");
  return { ...(model as Model), search: { mode, language: "english", fields: ["name", "note"] } };
}
const queryOf = (fields: SearchFields): ReadQuery & { readonly operation: "findMany" } => {
  const search = { ...fields, text: "tent", isRanked: true };
  return { operation: "findMany", args: { search }, total: { search } };
};
const all = (model: Model) => searchFields(model) as SearchFields;

describe("C103 the column with the text vectors", () => {
  it("is read by a search of all fields, and by its count", () => {
    const model = modelOf([vector]);
    const { args, total } = withVector(queryOf(all(model)), model);
    expect([args.search?.vector, total?.search?.vector]).toEqual(["vector", "vector"]);
  });

  it("is not read for a caller who may read some of its fields only", () => {
    const model = modelOf([vector]);
    const [first] = all(model).fields;
    const query = queryOf({ ...all(model), fields: first === undefined ? [] : [first] });
    expect(withVector(query, model)).toBe(query);
  });

  it("is not read if the schema lacks it, and for similar spellings", () => {
    for (const model of [modelOf([]), modelOf([vector], "similarity")]) {
      const query = queryOf(all(model));
      expect(withVector(query, model)).toBe(query);
    }
    expect(searchStorage(modelOf([]))).toMatchObject({ kind: "column", column: undefined });
  });

  it("has another comment with another definition", () => {
    const model = modelOf([vector]);
    const commentOf = (search: object) => {
      const storage = searchStorage({ ...model, search: { ...model.search, ...search } as Model["search"] & object });
      return storage?.kind === "column" ? storage.comment : undefined;
    };
    const comments = [{}, { language: "german" }, { fields: ["note", "name"] }, { fields: ["name"] }].map(commentOf);
    expect(new Set(comments).size).toBe(4);
  });
});

describe("C103 a search that is run by keys", () => {
  it("returns no row that the query excludes, although the date-time keys differ in milliseconds only", async () => {
    const at = { kind: "scalar", name: "at", type: "DateTime" };
    const fields = [at, { kind: "scalar", name: "note", type: "String" }];
    const data = { format: 1, enums: [], models: [{ name: "Log", fields, keys: [{ kind: "id", fields: ["at"] }] }] };
    const found = readModels(data as unknown as ModelsData).get("Log") as Model;
    const model: Model = { ...found, search: { mode: "fullText", language: "english", fields: ["note"] } };
    const open = { at: new Date("2024-01-01T00:00:00.001Z"), note: "tent" };
    const excluded = { at: new Date("2024-01-01T00:00:00.002Z"), note: "tent, secret" };
    /** The rows of a query that combines the condition of the caller with that of the keys, or has that of the keys. */
    const rowsOf = ({ where = {} }: ReadArgs): readonly Row[] => {
      const keys = (where.at as { readonly in: readonly Date[] } | undefined)?.in;
      return [open, excluded].filter((row) => (keys === undefined ? row === open : keys.includes(row.at)));
    };
    const executor: Executor = {
      prepare:
        (_, { args }) =>
        async () => ({ rows: rowsOf(args as ReadArgs) }),
    };
    const client = { $queryRawUnsafe: async () => [open, excluded].map((row) => ({ at: row.at })) };
    const search = { ...all(model), text: "tent", isRanked: true };
    const query: ReadQuery = { operation: "findMany", args: { search, where: { note: { not: "tent, secret" } } } };
    expect(await searchByKeys(model, query, search, { client, executor, schema: undefined })).toEqual({ rows: [open] });
  });
});
