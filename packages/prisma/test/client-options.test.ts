import { afterAll, describe, expect, it } from "vitest";
import { makeDatabase } from "../src/index.js";
import { hasExtensions, isOmitted, resultFields } from "../src/internal.js";
import { recordedFields } from "../src/models/recorded-fields.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { kindsModels } from "./kinds-models.js";

const author = kindsModels.get("Author") ?? expect.fail();
const tag = kindsModels.get("Tag") ?? expect.fail();
// It opens no connection before its first query.
const client = new PrismaClient({
  adapter: makePostgresAdapter({ url: "postgresql://127.0.0.1:1/none" }),
  omit: { author: { karma: true, inbox: false } },
});
afterAll(() => client.$disconnect());

describe("the options of a Prisma client", () => {
  it("omit the fields that are excluded with true", () => {
    expect(["karma", "inbox", "email"].filter((name) => isOmitted(client, author, name))).toEqual(["karma"]);
    expect(isOmitted(client, tag, "karma")).toBe(false);
    expect(isOmitted({}, author, "karma")).toBe(false);
  });

  it("add the fields of extensions, which may need each other, and not those that replace a column", () => {
    expect(resultFields(client, author)).toEqual([]);
    const extended = client.$extends({
      result: {
        author: {
          label: { needs: { email: true, karma: true }, compute: ({ email, karma }) => `${email} (${karma})` },
          inbox: { needs: { email: true }, compute: () => "replaced" },
        },
      },
    });
    const more = extended.$extends({
      result: { author: { loud: { needs: { label: true }, compute: ({ label }) => `${label}!` } } },
    });
    const row = Object.freeze({ email: "a@x", karma: 3 });
    const fields = resultFields(more, author);
    expect(fields.map(({ name, compute }) => [name, compute(row)])).toEqual([
      ["label", "a@x (3)"],
      ["loud", "a@x (3)!"],
    ]);
    expect(fields.map(({ needs }) => [...needs].sort())).toEqual([
      ["email", "karma"],
      ["email", "karma"],
    ]);
    expect(resultFields(more, tag)).toEqual([]);
    expect([hasExtensions(client), hasExtensions(more)]).toEqual([false, true]);
  });
});

it("a client of other models, or of another database, is a startup error", () => {
  const others = new Map([["Shop", { ...tag, name: "Shop", delegate: "shop" }]]);
  expect(() => makeDatabase({ client, models: others })).toThrow("the Prisma client has no shop.");
  const foreign = Object.assign(Object.create(client), { _activeProvider: "sqlserver" });
  expect(() => makeDatabase({ client: foreign, models: kindsModels })).toThrow("sqlserver");
});

it("the recorded fields of a model are its visible columns and its key", () => {
  const names = (of: typeof author) => recordedFields(of).map(({ name }) => name);
  expect(names(author)).toEqual(["id", "email", "karma", "createdAt", "updatedAt", "managerId"]);
  const fields = tag.fields.map((field) =>
    field.name === "name" ? { ...field, annotations: { ...field.annotations, hidden: true } } : field,
  );
  const [key] = fields.filter(({ name }) => name === "name");
  if (key?.kind !== "scalar") throw new Error("The key of a tag is its name.");
  expect(names({ ...tag, fields, key: { name: "name", fields: [key], constraint: "Tag_pkey" } })).toEqual(["name"]);
  expect(names({ ...tag, fields, key: undefined })).toEqual([]);
});
