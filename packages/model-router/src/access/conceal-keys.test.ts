import { readModels } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { bodyViewOf } from "./conceal-keys.js";

const id = { kind: "scalar", name: "id", type: "Int", default: { function: "autoincrement" } } as const;
const keys = [{ kind: "id", fields: ["id"] }] as const;

/** A post and its owner. */
const modelsOf = (owner: { readonly documentation?: string }) =>
  readModels({
    format: 1,
    enums: [],
    models: [
      {
        name: "Post",
        fields: [
          id,
          { kind: "scalar", name: "title", type: "String" },
          { kind: "scalar", name: "ownerId", type: "Int", isForeignKey: true },
          {
            ...{ kind: "relation", name: "owner", type: "User", ...owner },
            relation: { name: "r", fields: ["ownerId"], references: ["id"] },
          },
        ],
        keys,
      },
      {
        name: "User",
        fields: [id, { kind: "relation", name: "posts", type: "Post", isList: true, relation: { name: "r" } }],
        keys,
      },
    ],
  });

it("does not suggest the rejected key itself in place of a relation that the caller may not see", () => {
  const [seen, models] = [modelsOf({ documentation: "@hidden" }), modelsOf({})];
  const post = seen.get("Post");
  if (post === undefined) throw new Error("There is no model.");
  const suggestedFor = (key: string) =>
    bodyViewOf(post, { seen, models }).report([
      { in: "body", path: `/${key}`, code: "UnknownField", message: "Unknown key. Did you mean owner?" },
    ])[0]?.message;
  expect(suggestedFor("ownerId")).toBe("Unknown key.");
  expect(suggestedFor("ownrId")).toBe("Unknown key. Did you mean ownerId?");
});
