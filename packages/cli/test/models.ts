import { type Model, type ModelsData, readModels } from "@servicekit/prisma";

const scalar = (name: string, type: string, more: object = {}) => ({ kind: "scalar", name, type, ...more });
const id = scalar("id", "Int", { default: { function: "autoincrement" } });
const keys = [{ kind: "id", fields: ["id"] }];
const toUser = (more: object = {}) => [
  scalar("userId", "Int", more),
  {
    kind: "relation",
    name: "user",
    type: "User",
    ...more,
    relation: { name: "by", fields: ["userId"], references: ["id"] },
  },
];

/** Users and their notes; numbers that JSON has no form for; rows with two ids. */
export const models = readModels({
  format: 1,
  enums: [{ name: "Role", values: [{ name: "CLERK" }, { name: "BOSS" }] }],
  models: [
    {
      name: "User",
      fields: [
        id,
        scalar("email", "String"),
        scalar("password", "String", { documentation: "@hidden" }),
        { kind: "enum", name: "role", type: "Role" },
        { kind: "relation", name: "notes", type: "Note", isList: true, relation: { name: "by" } },
      ],
      keys,
    },
    {
      name: "Note",
      fields: [
        id,
        scalar("text", "String"),
        scalar("isDone", "Boolean"),
        scalar("at", "DateTime"),
        scalar("ref", "String", { nativeType: { name: "Uuid", args: [] } }),
        scalar("tags", "String", { isList: true }),
        scalar("more", "Json", { isOptional: true }),
        ...toUser(),
      ],
      keys,
    },
    {
      name: "Price",
      fields: [id, scalar("amount", "Decimal"), scalar("size", "BigInt"), scalar("raw", "Bytes")],
      keys,
    },
    { name: "Pair", fields: [scalar("a", "Int"), scalar("b", "Int")], keys: [{ kind: "id", fields: ["a", "b"] }] },
  ],
} as unknown as ModelsData);

export function modelOf(name: string): Model {
  const model = models.get(name);
  if (model === undefined) throw new Error(`No model ${name}.`);
  return model;
}
