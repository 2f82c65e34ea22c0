import type { StartupIssue } from "@servicekit/core";
import { type Model, type ModelsData, readModels, type StoredField } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { keyFields, keyModelName } from "./key-model.js";
import { readOwnedModel } from "./owned-model.js";

const scalar = (name: string, type: string, more: object = {}) => ({ kind: "scalar", name, type, ...more });

/** The issues of a model whose lists of texts have these types. */
function issuesOf(provider: Model["provider"], list: object): string[] {
  const relation = { name: "k", fields: ["userId"], references: ["id"], onDelete: "Cascade" };
  const keys = [{ kind: "id", fields: ["id"] }];
  const models = readModels({
    format: 1,
    provider,
    enums: [],
    models: [
      {
        name: "User",
        fields: [
          scalar("id", "Int"),
          { kind: "relation", name: "keys", type: keyModelName, isList: true, relation: { name: "k" } },
        ],
        keys,
      },
      {
        name: keyModelName,
        fields: [
          ...[scalar("id", "String"), scalar("userId", "Int"), scalar("name", "String")],
          { kind: "relation", name: "user", type: "User", relation },
          scalar("hash", "String", { documentation: "@hidden" }),
          scalar("previousHash", "String", { isOptional: true, documentation: "@hidden" }),
          ...["previousUntil", "expiresAt", "lastUsedAt"].map((name) => scalar(name, "DateTime", { isOptional: true })),
          scalar("createdAt", "DateTime"),
          ...["roles", "permissions", "addresses"].map((name) => ({ kind: "scalar", name, ...list })),
        ],
        keys,
      },
    ],
  } as unknown as ModelsData);
  const issues: StartupIssue[] = [];
  const model = models.get("User") as Model;
  const user = { model, id: model.fieldsByName.get("id") as StoredField };
  readOwnedModel(keyModelName, keyFields(provider), { models, user, issues });
  return issues.map(({ where, message }) => `${where}: ${message}`);
}

describe("C72 the model AuthKey", () => {
  it("has lists of texts, as JSON in a database without list columns", () => {
    const list = { type: "String", isList: true };
    const json = { type: "Json" };
    expect(issuesOf("postgresql", list)).toEqual([]);
    expect(issuesOf("postgresql", json)).toContain(
      "field AuthKey.roles: must be a list of String; authentication reads and writes it.",
    );
    for (const provider of ["sqlite", "mysql"] as const) {
      expect(issuesOf(provider, json)).toEqual([]);
      expect(issuesOf(provider, { type: "String" })).toContain(
        "field AuthKey.roles: must be a required Json; authentication reads and writes it.",
      );
    }
  });
});
