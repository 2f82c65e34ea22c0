import { type ModelsData, readModels } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { readUserModel } from "./user-model.js";
import { fieldsSignupLacks, ownFields } from "./user-schemas.js";

type FieldData = ModelsData["models"][number]["fields"][number];
type ModelData = ModelsData["models"][number];

const scalar = (name: string, type: string, more: object = {}): FieldData =>
  ({ kind: "scalar", name, type, ...more }) as FieldData;
const relation = (name: string, type: string, more: object = {}): FieldData =>
  ({ kind: "relation", name, type, relation: { name: `${type}s` }, ...more }) as FieldData;
const optional = { isOptional: true } as const;

const id = scalar("id", "Int", { default: { function: "autoincrement" } });
const unique = { isUnique: true } as const;
const basic = [id, scalar("username", "String", unique), scalar("password", "String")];

const model = (
  name: string,
  fields: readonly FieldData[],
  keys: ModelData["keys"] = [
    { kind: "id", fields: ["id"] },
    ...fields.filter((field) => "isUnique" in field).map(({ name }) => ({ kind: "unique" as const, fields: [name] })),
  ],
) => ({ name, fields, keys }) as ModelData;

const modelsOf = (...models: ModelData[]) =>
  readModels({ format: 1, enums: [{ name: "Role", values: [{ name: "READER" }] }], models });

it("C117 reads the roles of users from a Json in a database without lists", () => {
  const readSqlite = (...roles: readonly FieldData[]) =>
    readUserModel(
      readModels({ format: 1, provider: "sqlite", enums: [], models: [model("User", [...basic, ...roles])] }),
      {
        mode: "static",
        login: { allowedUsernames: ["username"], sendAccessTokenThrough: "both", normalizeNames: true },
      },
    );
  expect(readSqlite(scalar("roles", "Json")).roles.map(({ name }) => name)).toEqual(["roles"]);
  expect(() => readSqlite(scalar("roles", "Json", optional))).toThrow("must be a required Json with a list of names");
  expect(() => read([...basic, scalar("roles", "Json")])).toThrow("must be a list of an enum or of String");
});

function read(
  fields: readonly FieldData[],
  options: { mode?: "static" | "dynamic"; names?: string[] } = {},
  ...more: ModelData[]
) {
  const { mode = "static", names = ["username"] } = options;
  const login = { allowedUsernames: names, sendAccessTokenThrough: "both" as const, normalizeNames: true };
  return readUserModel(modelsOf(model("User", fields), ...more), { mode, login });
}

describe("C25 the user model", () => {
  it("is found with its fields", () => {
    const user = read([...basic, scalar("isActive", "Boolean"), scalar("role", "String")]);
    expect([user.id.name, user.isActive?.name, user.isSuperUser, user.roles.map(({ name }) => name)]).toEqual([
      "id",
      "isActive",
      undefined,
      ["role"],
    ]);
  });

  it("ignores stored roles beside a role in static mode", () => {
    const stored = relation("roles", "AuthRole", { isList: true });
    const role = model("AuthRole", [id, scalar("name", "String")]);
    expect(read([...basic, scalar("role", "String"), stored], {}, role).roles.map(({ name }) => name)).toEqual([
      "role",
    ]);
    expect(() => read([...basic, stored], {}, role)).toThrow("field User.roles: must be a list");
  });

  it("must be there", () => {
    const login = { allowedUsernames: ["username"], sendAccessTokenThrough: "both" as const, normalizeNames: true };
    expect(() => readUserModel(modelsOf(model("Person", [id])), { mode: "static", login })).toThrow(
      "requires a model User",
    );
  });

  it("reports every missing and every wrongly typed field together", () => {
    const wrong = [
      id,
      scalar("password", "Int"),
      scalar("isActive", "String"),
      scalar("isSuperUser", "Boolean", { isList: true }),
      scalar("role", "Int"),
      scalar("roles", "String"),
      scalar("passwordChangedAt", "String"),
      scalar("lastLoginAt", "DateTime"),
      scalar("deletedAt", "DateTime"),
      scalar("email", "Int"),
      scalar("emailVerified", "DateTime"),
    ];
    const issueOf = (): string => {
      try {
        read(wrong, { names: ["username", "profile.nickname", "email", "password"] });
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    const message = issueOf();
    expect(message).toContain(`${message.split("\n").length - 1} errors`);
    for (const part of [
      "field User.password: must be a String",
      "field User.isActive: must be a Boolean",
      "field User.isSuperUser: must be a Boolean",
      "field User.role: must be an enum or a String",
      "field User.roles: must be a list",
      "field User.passwordChangedAt: must be a DateTime",
      "field User.lastLoginAt: must be an optional DateTime, or one with a default",
      "field User.deletedAt: must be an optional DateTime",
      "field User.email: must be a String",
      "field User.emailVerified: must be a Boolean, or an optional DateTime",
      "username: the model User has no field username",
      "profile.nickname: the model User has no field profile",
      "email: email must be a String",
      "password: password must be a String other than the password",
    ]) {
      expect(message).toContain(part);
    }
  });

  it("requires unique login names, and a dotted one to lead to one user", () => {
    const plain = [id, scalar("username", "String"), scalar("password", "String")];
    expect(() => read(plain)).toThrow(
      "allowedUsernames: username: User.username must be @unique; otherwise two users with the same name could not sign in.",
    );
    const withKey = model("User", plain, [
      { kind: "id", fields: ["id"] },
      { kind: "unique", fields: ["username", "id"] },
    ]);
    const login = { allowedUsernames: ["username"], sendAccessTokenThrough: "both" as const, normalizeNames: true };
    expect(() => readUserModel(modelsOf(withKey), { mode: "static", login })).toThrow("must be @unique");
    const names = { names: ["profile.nickname"] };
    const profile = (more: object) => model("Profile", [id, scalar("nickname", "String", more)]);
    const own = relation("profile", "Profile", optional);
    expect(() => read([...basic, own], names, profile({}))).toThrow("Profile.nickname must be @unique");
    expect(() => read([...basic, own], names, profile(unique))).not.toThrow();
    const shared = relation("profile", "Profile", {
      relation: { name: "Profiles", fields: ["profileId"], references: ["id"] },
    });
    expect(() => read([...basic, shared, scalar("profileId", "Int")], names, profile(unique))).toThrow(
      "profile must reference one row that belongs to one user",
    );
    expect(() => read([...basic, shared, scalar("profileId", "Int", unique)], names, profile(unique))).not.toThrow();
  });

  it("requires room for a hash, and an id of one field", () => {
    const short = scalar("password", "String", { nativeType: { name: "VarChar", args: ["50"] } });
    expect(() => read([id, scalar("username", "String"), short])).toThrow("must have room for 60 characters");
    const long = scalar("password", "String", { nativeType: { name: "VarChar", args: ["60"] } });
    expect(read([id, scalar("username", "String", unique), long]).password.name).toBe("password");
    const keys: ModelData["keys"] = [{ kind: "id", fields: ["id", "username"] }];
    const login = { allowedUsernames: ["username"], sendAccessTokenThrough: "both" as const, normalizeNames: true };
    expect(() => readUserModel(modelsOf(model("User", basic, keys)), { mode: "static", login })).toThrow(
      "id of one field",
    );
  });

  it("requires AuthRole and AuthPermission in dynamic mode", () => {
    expect(() => read(basic, { mode: "dynamic" })).toThrow(
      /requires a model AuthRole .*requires a model AuthPermission .*User.roles: must be a list of AuthRole/s,
    );
    const role = model("AuthRole", [id, relation("users", "User", { isList: true })]);
    expect(() => read([...basic, relation("roles", "AuthRole", { isList: true })], { mode: "dynamic" }, role)).toThrow(
      /requires a model AuthPermission .*model AuthRole: requires a field name/s,
    );
  });
});

describe("C27 the user's own fields", () => {
  it("are those that users set themselves", () => {
    const user = read([
      ...basic,
      scalar("bio", "String", { ...optional, documentation: "@writeonly" }),
      scalar("secret", "String", { ...optional, documentation: "@hidden" }),
      scalar("points", "Int", { ...optional, documentation: "@readonly" }),
      scalar("createdAt", "DateTime", { default: { function: "now" } }),
      scalar("updatedAt", "DateTime", { isUpdatedAt: true }),
      scalar("teamId", "Int", { isForeignKey: true }),
      scalar("role", "String"),
      scalar("isActive", "Boolean", { default: { value: true } }),
    ]);
    expect(ownFields(user).map(({ name }) => name)).toEqual(["username", "bio"]);
    expect(fieldsSignupLacks(user)).toEqual(["teamId", "role"]);
  });
});
