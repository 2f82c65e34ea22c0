import { readModels } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { resourcePaths } from "../path.js";
import { makeResources } from "../resource.js";
import { readRelation } from "./read-relation.js";
import { readRelationAction, type WriteMode } from "./relation-act.js";
import { makeWritableModels } from "./writable-model.js";

const models = readModels({
  format: 1,
  enums: [],
  models: [
    {
      name: "Post",
      fields: [
        { kind: "scalar", name: "id", type: "Int", default: { function: "autoincrement" } },
        { kind: "scalar", name: "authorId", type: "Int", isForeignKey: true },
        {
          kind: "relation",
          name: "author",
          type: "Author",
          relation: { name: "r", fields: ["authorId"], references: ["id"] },
        },
      ],
      keys: [{ kind: "id", fields: ["id"] }],
    },
    {
      name: "Author",
      fields: [
        { kind: "scalar", name: "id", type: "Int", default: { function: "autoincrement" } },
        { kind: "scalar", name: "email", type: "String" },
        { kind: "scalar", name: "first", type: "String" },
        { kind: "scalar", name: "last", type: "String" },
        { kind: "scalar", name: "secret", type: "String", documentation: "@hidden" },
        { kind: "relation", name: "posts", type: "Post", isList: true, relation: { name: "r" } },
      ],
      keys: [
        { kind: "id", fields: ["id"] },
        { kind: "unique", fields: ["email"] },
        { kind: "unique", fields: ["first", "last"] },
        { kind: "unique", fields: ["secret"] },
      ],
    },
  ],
});

const relation = (writable: readonly string[], model = "Post", name = "author") => {
  const settings = {
    ...{ models: {}, page: { default: 20, max: 100 }, bulkItems: 1000 },
    models: { [model]: { writable } },
  };
  const resources = makeResources(models, resourcePaths(models), settings);
  const found = makeWritableModels(resources, models, {
    ...{ ...settings, users: undefined, hashesPassword: false },
    ...{ isOffered: () => true, hasHooks: () => false },
  });
  const one = found.get(model)?.relations.get(name);
  if (one === undefined) throw new Error("closed");
  return one;
};

describe("C13 determines the action of an object by its keys", () => {
  it.each<[Record<string, unknown>, WriteMode, unknown]>([
    [{ id: 1 }, "create", "connect"],
    [{ id: 1 }, "update", "connect"],
    [{ email: "a" }, "update", "connect"],
    [{ id: 1, email: "a" }, "create", "connect"],
    [{ id: 1, email: "a" }, "update", "update"],
    [{ first: "a", last: "b" }, "update", "connect"],
    [{ first: "a" }, "update", "create"],
    [{ email: "a", first: "b" }, "update", "connect"],
    [{ secret: "a" }, "update", "create"],
    [{ id: 1, secret: "a" }, "create", "create"],
    [{ id: 1, name: "x" }, "update", "update"],
    [{ id: 1, name: "x" }, "create", "create"],
    [{}, "update", "create"],
    [{ connect: { id: 1 } }, "update", "create"],
    [{ $delete: true, id: 1 }, "update", "delete"],
    [{ $disconnect: true, email: "a" }, "update", "disconnect"],
    [{ $disconnect: true }, "update", "disconnect"],
  ])("%j on %s", (object, mode, act) => {
    expect(readRelationAction(relation(["author"]), object, mode)).toBe(act);
  });

  it("an id and another unique field identify one row if updates are not allowed", () => {
    expect(readRelationAction(relation([]), { id: 1, email: "a" }, "update")).toBe("connect");
  });

  it.each<[Record<string, unknown>, WriteMode]>([
    [{ $delete: true, id: 1 }, "create"],
    [{ $delete: 1, id: 1 }, "update"],
    [{ $delete: true, $disconnect: true, id: 1 }, "update"],
    [{ $delete: true, first: "a" }, "update"],
  ])("rejects %j on %s", (object, mode) => {
    expect(readRelationAction(relation(["author"]), object, mode)).toEqual({ issue: expect.any(String) });
  });

  it("a list has a row for each instruction", () => {
    expect(readRelationAction(relation(["posts"], "Author", "posts"), { $delete: true }, "update")).toEqual({
      issue: expect.any(String),
    });
  });

  it.each<WriteMode>(["create", "update"])("suggests the known instruction for a misspelled one, in a %s", (mode) => {
    const act = (writable: readonly string[], key: string) =>
      readRelationAction(relation(writable, "Author", "posts"), { id: 1, [key]: true }, mode);
    for (const writable of [[], ["posts"]]) {
      expect(act(writable, "$disconect")).toEqual({ issue: "Unknown $disconect. Did you mean $disconnect?" });
      expect(act(writable, "$set")).toEqual({ issue: "Unknown $set." });
    }
  });
});

describe("readRelation", () => {
  const posts = relation(["posts"], "Author", "posts");
  const author = relation(["author"]);

  it("returns an entry for each related row, in the order of the body", () => {
    expect(readRelation(posts, [{ id: 1 }, { id: 2, $disconnect: true }], "update")).toMatchObject([
      { act: "connect", object: { id: 1 }, at: [0] },
      { act: "disconnect", at: [1] },
    ]);
    expect(readRelation(author, { id: 1 }, "create")).toMatchObject([{ act: "connect", at: [] }]);
  });

  it("returns an issue for a value that is not a row or list, and for null where a row is required", () => {
    expect(readRelation(posts, { id: 1 }, "update")).toMatchObject([{ expected: "array", at: [] }]);
    expect(readRelation(posts, [{ id: 1 }, null], "update")).toMatchObject([{ act: "connect" }, { at: [1] }]);
    expect(readRelation(author, [{ id: 1 }], "create")).toMatchObject([{ message: "Expected an object." }]);
    expect(readRelation(author, null, "update")).toMatchObject([{ message: "author is required." }]);
  });

  it("returns an issue for null if the relation is required, also for a body that a hook changed", () => {
    const profile = { ...posts, field: { ...posts.field, isList: false } };
    expect(readRelation(profile, null, "update")).toBeNull();
    const rejected = new Map([["disconnect", "it has no operation of its own"]] as const);
    expect(readRelation({ ...profile, rejected }, null, "update")).toMatchObject([{ message: /cannot disconnect/ }]);
  });
});
