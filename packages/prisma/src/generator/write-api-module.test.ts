import { expect, it } from "vitest";
import { kindsSchema, readDataModel } from "../../test/kinds-models.js";
import { readModels } from "../models/read-models.js";
import { toModelsData } from "./to-models-data.js";
import { writeApiModule } from "./write-api-module.js";

/** Prisma requires a line for each declaration; `;` is a line break. */
const write = (schema: string): string => {
  const text = `datasource db {\n  provider = "postgresql"\n}\n${schema
    .replaceAll(/[;{]/g, (sign) => `${sign}\n`)
    .replaceAll(";", "")
    .replaceAll("}", "\n}")}`;
  return writeApiModule(readModels(toModelsData(readDataModel([["schema.prisma", text]]), text)));
};
const partOf = (text: string, resource: string, part: string): string =>
  new RegExp(`^  "?${resource}"?: \\{\\n(?:    .*\\n)*?    ${part}: ([^]*?);\\n    \\w`, "m").exec(text)?.[1] ?? "";

it("C74 contains only types, and imports nothing", () => {
  const text = writeApiModule(readModels(toModelsData(readDataModel([["schema.prisma", kindsSchema]]), kindsSchema)));
  expect(text).not.toMatch(/\bimport\b|\brequire\b|\bconst\b|\bfunction\b/);
  expect(text.match(/^export .*/gm)).toEqual(["export interface Api {"]);
});

it("C74 C4 has values in the forms of responses, and no hidden field or relation", () => {
  const text = write(`
    enum Kind { A; B }
    model Thing {
      id     BigInt   @id
      price  Decimal?
      at     DateTime
      kinds  Kind[]
      data   Json?
      bytes  Bytes
      /// @hidden
      secret String
      /// @writeonly
      token  String?
      /// @hidden
      parts  Part[]
    }
    model Part { id Int @id; thingId BigInt; thing Thing @relation(fields: [thingId], references: [id]) }
  `);
  expect(partOf(text, "things", "row").replace(/\s+/g, " ")).toBe(
    '{ id: string; price: string | null; at: string; kinds: ("A" | "B")[]; data: unknown; bytes: string; }',
  );
  expect(text).not.toContain("secret");
  expect(text).not.toContain('to: "parts"');
  expect(partOf(text, "things", "create")).toContain("token?: string | null;");
  expect(partOf(text, "things", "key")).toBe("string | number");
});

it("C74 accepts a required relation as its key or by its name, and a writable one as new rows", () => {
  const text = write(`
    model Order {
      id    Int    @id @default(autoincrement())
      code  String @unique
      /// @writable
      items Item[]
    }
    model Item {
      orderId Int
      line    Int
      order   Order @relation(fields: [orderId], references: [id])
      @@id([orderId, line])
    }
  `);
  expect(partOf(text, "items", "create").replace(/\s+/g, " ")).toBe(
    '{ line: number; } & ( | { orderId: number; order?: never } | { orderId?: never; order: Api["orders"]["ref"] } )',
  );
  expect(partOf(text, "orders", "ref")).toBe("{ id: number } | { code: string }");
  expect(partOf(text, "orders", "create")).toContain(
    'items?: (Api["items"]["ref"] | Omit<Api["items"]["create"], "order" | "orderId">)[];',
  );
  expect(partOf(text, "items", "key")).toBe("readonly [orderId: number, line: number]");
});

it("C74 C6 names a resource by its path, in camel case if that can be reversed", () => {
  const text = write("model MediaType { id Int @id }\nmodel User2FA { id Int @id }\nmodel Person { id Int @id }");
  expect([...text.matchAll(/^ {2}(\S+): \{$/gm)].map(([, name]) => name)).toEqual([
    "mediaTypes",
    '"user-2fas"',
    "people",
  ]);
});

it("C74 C13 excludes the relations of users and of views from bodies", () => {
  const text = write(`
    model User { id Int @id @default(autoincrement()); name String; posts Post[] }
    model Post { id Int @id @default(autoincrement()); userId Int; user User @relation(fields: [userId], references: [id]) }
  `);
  expect(partOf(text, "posts", "create").replace(/\s+/g, " ")).toBe("{ userId: number; }");
  expect(partOf(text, "users", "create")).not.toContain("posts");
});

it("C98 has what aggregates can compute of each field", () => {
  const text = write(`
    model Order {
      id     Int      @id
      total  Decimal
      weight Float?
      isGift Boolean
      token  String   @db.Uuid
      at     DateTime
      time   DateTime @db.Time
      tags   String[]
    }
  `);
  const uses = [...partOf(text, "orders", "filters").matchAll(/^ +(\w+): \{ value: .*? operators: \w+(.*) \};$/gm)];
  expect(Object.fromEntries(uses.map(([, name, rest]) => [name, rest]))).toEqual({
    id: "; sum: string",
    total: "; sum: string",
    weight: "; sum: number",
    isGift: "; unranked: true",
    token: "; unranked: true",
    at: "; periods: true",
    time: "",
    tags: "; unsorted: true",
  });
});
