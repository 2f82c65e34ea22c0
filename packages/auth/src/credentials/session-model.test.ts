import type { StartupIssue } from "@servicekit/core";
import { type Model, type ModelsData, readModels, type StoredField } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { readOwnedModel } from "./owned-model.js";
import { sessionFields, sessionModelName } from "./session-model.js";

type FieldData = ModelsData["models"][number]["fields"][number];

const scalar = (name: string, type: string, more: object = {}): FieldData =>
  ({ kind: "scalar", name, type, ...more }) as FieldData;
const optional = { isOptional: true };
const hidden = { documentation: "@hidden" };

const owner = (more: object = {}): FieldData =>
  ({
    kind: "relation",
    name: "user",
    type: "User",
    relation: { name: "s", fields: ["userId"], references: ["id"], onDelete: "Cascade", ...more },
  }) as FieldData;

const complete: readonly FieldData[] = [
  scalar("id", "String"),
  scalar("userId", "Int"),
  owner(),
  scalar("refreshHash", "String", hidden),
  scalar("previousHash", "String", { ...optional, ...hidden }),
  ...["rotatedAt", "createdAt", "seenAt", "expiresAt"].map((name) => scalar(name, "DateTime")),
];

/** The issues of a model with these fields in place of the valid ones. */
function issuesOf(...changed: readonly (FieldData | string)[]): string[] {
  const names = changed.map((one) => (typeof one === "string" ? one : one.name));
  const fields = [
    ...complete.filter(({ name }) => !names.includes(name)),
    ...changed.filter((one) => typeof one !== "string"),
  ];
  const sessions = { kind: "relation", name: "sessions", type: "AuthSession", isList: true, relation: { name: "s" } };
  const user = [scalar("id", "Int"), scalar("username", "String"), scalar("password", "String"), sessions as FieldData];
  const keys = [{ kind: "id", fields: ["id"] }];
  const userKeys = [...keys, { kind: "unique", fields: ["username"] }];
  const models = readModels({
    format: 1,
    enums: [],
    models: [
      { name: "User", fields: user, keys: userKeys },
      { name: "AuthSession", fields, keys },
    ],
  } as unknown as ModelsData);
  const issues: StartupIssue[] = [];
  const model = models.get("User") as Model;
  const owners = { models, user: { model, id: model.fieldsByName.get("id") as StoredField }, issues };
  const found = readOwnedModel(sessionModelName, sessionFields, owners);
  expect(found === undefined).toBe(issues.length > 0);
  return issues.map(({ where, message }) => `${where}: ${message}`);
}

describe("C25 C72 the model AuthSession", () => {
  it("is accepted with and without its optional fields", () => {
    expect(issuesOf()).toEqual([]);
    expect(issuesOf(scalar("address", "String", optional), scalar("userAgent", "String", optional))).toEqual([]);
  });

  it.each<[string, readonly (FieldData | string)[], string]>([
    ["misspelled", ["refreshHash", scalar("refreshhash", "String", optional)], "requires a field refreshHash"],
    [
      "misspelled, with the nearest name",
      ["refreshHash", scalar("refreshhash", "String", optional)],
      "Did you mean refreshhash?",
    ],
    ["of a wrong type", [scalar("expiresAt", "Int")], "field AuthSession.expiresAt: must be a required DateTime"],
    ["nullable", [scalar("seenAt", "DateTime", optional)], "must be a required DateTime"],
    ["not hidden", [scalar("refreshHash", "String")], "must be annotated with `/// @hidden`"],
    [
      "too short",
      [scalar("refreshHash", "String", { ...hidden, nativeType: { name: "VarChar", args: ["20"] } })],
      "String of 43 characters",
    ],
    [
      "unknown, required and without a default",
      [scalar("tenant", "Int")],
      "field AuthSession.tenant: must be optional or have a default",
    ],
    ["not a relation to the user", ["user"], "field AuthSession.user: must be the relation to the model User"],
    ["not deleted with the user", [owner({ onDelete: "Restrict" })], "must declare onDelete: Cascade"],
  ])("reports a field that is %s", (_, changed, message) => {
    expect(issuesOf(...changed).join("\n")).toContain(message);
  });
});
