import type { StartFault } from "@servicekit/core";
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

const whole: readonly FieldData[] = [
  scalar("id", "String"),
  scalar("userId", "Int"),
  owner(),
  scalar("refreshHash", "String", hidden),
  scalar("previousHash", "String", { ...optional, ...hidden }),
  ...["rotatedAt", "createdAt", "seenAt", "expiresAt"].map((name) => scalar(name, "DateTime")),
];

/** What is wrong with a model of these fields in place of the whole ones. */
function faultsOf(...changed: readonly (FieldData | string)[]): string[] {
  const names = changed.map((one) => (typeof one === "string" ? one : one.name));
  const fields = [
    ...whole.filter(({ name }) => !names.includes(name)),
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
  const faults: StartFault[] = [];
  const model = models.get("User") as Model;
  const owners = { models, user: { model, id: model.fieldsByName.get("id") as StoredField }, faults };
  const found = readOwnedModel(sessionModelName, sessionFields, owners);
  expect(found === undefined).toBe(faults.length > 0);
  return faults.map(({ where, message }) => `${where}: ${message}`);
}

describe("C25 C72 the model AuthSession", () => {
  it("is found whole, with and without what it may keep", () => {
    expect(faultsOf()).toEqual([]);
    expect(faultsOf(scalar("address", "String", optional), scalar("userAgent", "String", optional))).toEqual([]);
  });

  it.each<[string, readonly (FieldData | string)[], string]>([
    ["misspelt", ["refreshHash", scalar("refreshhash", "String", optional)], "needs a field refreshHash"],
    ["misspelt", ["refreshHash", scalar("refreshhash", "String", optional)], "is refreshhash meant?"],
    ["of a wrong type", [scalar("expiresAt", "Int")], "field AuthSession.expiresAt: must be a DateTime"],
    ["null", [scalar("seenAt", "DateTime", optional)], "must be a DateTime that is never null"],
    ["for all to see", [scalar("refreshHash", "String")], "must be marked `/// @hidden`"],
    [
      "too short",
      [scalar("refreshHash", "String", { ...hidden, nativeType: { name: "VarChar", args: ["20"] } })],
      "for 43 characters",
    ],
    ["needed and unknown", [scalar("tenant", "Int")], "field AuthSession.tenant: must be optional or have a default"],
    ["of nobody", ["user"], "field AuthSession.user: must be the relation to the model User"],
    ["left behind", [owner({ onDelete: "Restrict" })], "must say onDelete: Cascade"],
  ])("tells of a field that is %s", (_, changed, message) => {
    expect(faultsOf(...changed).join("\n")).toContain(message);
  });
});
