import { readFileSync } from "node:fs";
import { type ModelsData, readModels } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { readKeyModel } from "./key-model.js";

type FieldData = ModelsData["models"][number]["fields"][number];

const scalar = (name: string, type: string, more: object = {}): FieldData =>
  ({ kind: "scalar", name, type, ...more }) as FieldData;
const optional = { isOptional: true } as const;
const length = (max: number) => ({ nativeType: { name: "VarChar", args: [String(max)] } }) as const;

const complete = [
  scalar("id", "String"),
  scalar("fingerprint", "String"),
  scalar("holder", "String"),
  scalar("response", "String", optional),
  scalar("expiresAt", "DateTime"),
];
const without = (name: string) => complete.filter((field) => field.name !== name);

const read = (fields: readonly FieldData[], name = "IdempotencyKey") =>
  readKeyModel(
    readModels({
      format: 1,
      enums: [],
      models: [{ name, fields, keys: [{ kind: "id", fields: ["id"] }] }],
    } as unknown as ModelsData),
  );

describe("C49 the model IdempotencyKey", () => {
  it("C49 is found, and may have additional fields", () => {
    expect(read(complete)?.name).toBe("IdempotencyKey");
    expect(read([...complete, scalar("note", "String", optional)])?.name).toBe("IdempotencyKey");
    expect(read(complete, "Key")).toBeUndefined();
  });

  it("C49 may have columns of exactly the needed length, and more fields that fill themselves", () => {
    const exact = complete.map((field) => ({
      ...field,
      ...({ id: length(43), holder: length(36) }[field.name] ?? {}),
    }));
    const filled = [
      scalar("createdAt", "DateTime", { default: { function: "now" } }),
      scalar("updatedAt", "DateTime", { isUpdatedAt: true }),
      scalar("tags", "String", { isList: true }),
    ];
    expect(read([...exact, ...filled])?.name).toBe("IdempotencyKey");
  });

  it.each<readonly [string, readonly FieldData[], RegExp]>([
    ["a field that is missing", without("holder"), /requires a field holder, a String of at least 36 characters\./],
    [
      "a field that is called nearly so",
      [...without("expiresAt"), scalar("expiresAtt", "DateTime")],
      /requires a field expiresAt, a DateTime\. Did you mean expiresAtt\?/,
    ],
    [
      "a wrong type",
      [...without("expiresAt"), scalar("expiresAt", "Int")],
      /IdempotencyKey\.expiresAt: must be a DateTime/,
    ],
    [
      "a column that is too short",
      [...without("id"), scalar("id", "String", length(20))],
      /IdempotencyKey\.id: must be/,
    ],
    [
      "a required response",
      [...without("response"), scalar("response", "String")],
      /IdempotencyKey\.response: must be a String\? without a length/,
    ],
    [
      "a required field without a default",
      [...complete, scalar("tenant", "String")],
      /IdempotencyKey\.tenant: is required/,
    ],
  ])("C49 names %s", (_what, fields, message) => {
    expect(() => read(fields)).toThrow(message);
  });
});

it.each(["../../README.md", "../../../../docs/guides/idempotency.md"])("C49 is the model of %s", (page) => {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");
  const modelIn = (text: string) => /^model IdempotencyKey \{[\s\S]*?^\}/m.exec(text)?.[0];
  expect(modelIn(read(page))).toBe(modelIn(read("../../test/fixtures/keys/schema.prisma")));
});
