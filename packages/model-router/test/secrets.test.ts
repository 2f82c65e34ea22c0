import { StartupError } from "@servicekit/core";
import type { Database } from "@servicekit/prisma";
import { readModels } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import {
  defaultModelRouterSettings,
  type ModelConfig,
  type ModelRouterOptions,
  makeModelRouter,
} from "../src/index.js";

const id = { kind: "scalar", name: "id", type: "Int", default: { function: "autoincrement" } } as const;
const keys = [{ kind: "id", fields: ["id"] }] as const;
const text = (name: string, documentation?: string) =>
  ({ kind: "scalar", name, type: "String", isOptional: true, ...(documentation && { documentation }) }) as const;
const relation = (name: string, type: string, owns: boolean) => ({
  ...{ kind: "relation", name, type, isList: !owns, isOptional: owns },
  relation: { name: "PostToUser", fields: owns ? ["userId"] : [], references: owns ? ["id"] : [] },
});

const models = readModels({
  format: 1,
  provider: "postgresql",
  enums: [],
  models: [
    {
      name: "User",
      fields: [
        ...[id, text("name"), text("passwordHash"), { ...text("reset_token"), type: "Bytes" }],
        ...[text("saltLevel"), text("totp", "@hidden"), text("pwd", "@writeonly"), text("password")],
        ...[text("apiKey", "@visible The public key."), { ...text("otp"), type: "Int" }],
        relation("posts", "Post", false),
      ],
      keys,
    },
    {
      name: "Post",
      fields: [id, text("title"), { ...text("userId"), type: "Int" }, relation("user", "User", true)],
      keys,
    },
  ],
} as never);

const access = { allows: () => false };

/** The issues of a start with this configuration. */
function issuesOf(
  configs: Readonly<Record<string, ModelConfig>>,
  options: Partial<ModelRouterOptions> = { access },
  settings: object = {},
): readonly string[] {
  try {
    makeModelRouter({
      models,
      database: { models } as unknown as Database,
      settings: { ...defaultModelRouterSettings, ...settings, models: configs },
      users: undefined,
      ...options,
    });
  } catch (error) {
    if (error instanceof StartupError) return error.issues.map(({ where, message }) => `${where}: ${message}`);
    throw error;
  }
  return [];
}
const both = [
  expect.stringMatching(/^field User\.passwordHash: /),
  expect.stringMatching(/^field User\.reset_token: /),
];

describe("C144 secrets of models that anonymous clients may read", () => {
  it("C144 prevent startup, each with its field and the annotations", () => {
    expect(issuesOf({ User: { auth: { read: false, write: ["ADMIN"] } } })).toEqual([
      "field User.passwordHash: Anonymous clients have access by findMany, findOne, and the name is that of a secret. Annotate the field with /// @hidden, or with /// @visible if clients may read it.",
      "field User.reset_token: Anonymous clients have access by findMany, findOne, and the name is that of a secret. Annotate the field with /// @hidden, or with /// @visible if clients may read it.",
    ]);
  });

  it.each<[NonNullable<ModelConfig["auth"]>]>([
    [{ all: false }],
    [{ findMany: false }],
    [{ findOne: { rule: false } }],
    [{ findOne: { rule: false, where: () => ({ name: "a" }) } }],
    [{ createOne: false }],
    [{ updateMany: false }],
    [{ write: false, read: ["ADMIN"] }],
    [{ read: false, fields: { "*": ["id", "passwordHash", "reset_token"], ADMIN: ["name"] } }],
  ])("C144 count for every operation that is open to everyone: %j", (auth) => {
    expect(issuesOf({ User: { auth } })).toEqual(both);
  });

  it.each<[ModelConfig]>([
    [{}],
    [{ auth: { read: true, write: ["ADMIN"] } }],
    [{ auth: { read: { rule: ["ADMIN"] } } }],
    [{ auth: { read: false }, hidden: ["passwordHash", "reset_token"] }],
    [{ auth: { read: false, fields: { "*": ["id", "name"], ADMIN: ["id", "passwordHash"] } } }],
    [{ auth: { read: false }, operations: { all: false } }],
    [{ auth: { findMany: false, findOne: true }, operations: { findMany: false } }],
  ])("C144 allow a start where no anonymous client sees them: %j", (config) => {
    expect(issuesOf({ User: config })).toEqual([]);
  });

  it("C144 count for a model without routes that other models include", () => {
    const User: ModelConfig = { auth: { read: false }, operations: { all: false }, reachable: true };
    expect(issuesOf({ User, Post: { auth: { read: false } } })).toEqual(both);
  });

  it("C144 count without authentication, unless there are no generated routes", () => {
    expect(issuesOf({}, {})).toEqual([
      expect.stringMatching(/^field User\.passwordHash: Everyone has access, and/),
      both[1],
    ]);
    expect(issuesOf({}, {}, { strict: true })).toEqual([]);
    expect(issuesOf({}, {}, { strict: "no-bulk" })).toEqual(both);
  });
});
