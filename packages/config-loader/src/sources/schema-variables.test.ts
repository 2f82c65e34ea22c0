import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readVariables } from "./read-variables.js";
import { schemaVariables, unknownVariables } from "./schema-variables.js";

const limit = z.strictObject({ windowMs: z.int().optional(), message: z.string().optional() });
const schema = z.strictObject({
  port: z.int().min(0).max(65535).optional(),
  trustProxy: z.union([z.boolean(), z.int(), z.string(), z.array(z.string())]).optional(),
  limit: z.union([z.literal(false), limit, z.custom((value) => typeof value === "function")]).optional(),
  origins: z.array(z.string()).optional(),
  formats: z.array(z.enum(["png", "jpeg"])).optional(),
  client: z.custom<object>().optional(),
  models: z.record(z.string(), z.looseObject({})).optional(),
  kind: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("disk"), maxSize: z.number() }),
      z.strictObject({ type: z.literal("s3"), bucketName: z.string() }),
    ])
    .optional(),
});
const table = schemaVariables(schema, "SHOP", {
  PORT: { key: "port" },
  BUCKET: { key: "kind.bucketName", within: "kind" },
});

describe("C68 the variables of a schema", () => {
  it("C68 exist for each key that text can represent, by one rule", () => {
    expect(Object.entries(table).map(([name, { key }]) => `${name} ${key}`)).toEqual([
      "PORT port",
      "BUCKET kind.bucketName",
      "SHOP_PORT port",
      "SHOP_TRUST_PROXY trustProxy",
      "SHOP_LIMIT limit",
      "SHOP_LIMIT_WINDOW_MS limit.windowMs",
      "SHOP_LIMIT_MESSAGE limit.message",
      "SHOP_ORIGINS origins",
      "SHOP_FORMATS formats",
      "SHOP_KIND_TYPE kind.type",
      "SHOP_KIND_MAX_SIZE kind.maxSize",
      "SHOP_KIND_BUCKET_NAME kind.bucketName",
    ]);
  });

  it("C68 compute their descriptions on demand, which most startups never need", () => {
    expect(Object.getOwnPropertyDescriptor(table.SHOP_PORT, "expected")?.get).toBeTypeOf("function");
    expect(table.PORT).toMatchObject({ key: "port", type: "any", expected: "an integer from 0 to 65535" });
  });

  it.each<[string, string, object]>([
    ["SHOP_PORT", "80", { port: 80 }],
    ["SHOP_TRUST_PROXY", "2", { trustProxy: 2 }],
    ["SHOP_TRUST_PROXY", "true", { trustProxy: true }],
    ["SHOP_TRUST_PROXY", "loopback, 10.0.0.0/8", { trustProxy: "loopback, 10.0.0.0/8" }],
    ["SHOP_LIMIT", "false", { limit: false }],
    ["SHOP_LIMIT_WINDOW_MS", "5", { limit: { windowMs: 5 } }],
    ["SHOP_ORIGINS", "https://a.example, https://b.example", { origins: ["https://a.example", "https://b.example"] }],
    ["SHOP_FORMATS", "PNG", { formats: ["png"] }],
    ["SHOP_KIND_TYPE", "s3", { kind: { type: "s3" } }],
    ["SHOP_KIND_MAX_SIZE", "1.5", { kind: { maxSize: 1.5 } }],
  ])("C68 %s=%s is read by the schema", (name, text, value) => {
    expect(readVariables({ [name]: text }, table)).toMatchObject({ value, issues: [] });
  });

  it.each<[string, string, string]>([
    ["SHOP_PORT", "abc", 'found "abc" (text), expected an integer from 0 to 65535.'],
    ["SHOP_LIMIT", "off", 'found "off" (text), expected false.'],
    ["SHOP_FORMATS", "png,gif", 'found "png,gif" (text), expected some of "png" or "jpeg", separated by commas.'],
    ["SHOP_KIND_TYPE", "dsk", 'found "dsk" (text), expected "disk" or "s3". Did you mean "disk"?'],
  ])("C68 %s=%s is an issue that names it and what was expected", (where, text, message) => {
    expect(readVariables({ [where]: text }, table).issues).toMatchObject([{ where, message }]);
  });

  it("C68 take precedence over their aliases", () => {
    expect(readVariables({ SHOP_PORT: "1", PORT: "2" }, table).value).toEqual({ port: 1 });
    expect(readVariables({ BUCKET: "b" }, table).value).toEqual({});
    expect(readVariables({ BUCKET: "b", SHOP_KIND_TYPE: "s3" }, table).value).toEqual({
      kind: { bucketName: "b", type: "s3" },
    });
  });

  it("C68 report an unknown one with the nearest", () => {
    expect(unknownVariables({ SHOP_PROT: "1", SHOP_ZZZZZZZZ: "1", PROT: "1", SHOPPING: "1" }, "SHOP", table)).toEqual([
      "The environment variable SHOP_PROT is unknown. Did you mean SHOP_PORT?",
      "The environment variable SHOP_ZZZZZZZZ is unknown.",
    ]);
  });

  it("reject a schema in which one name would set two keys, and a name for a value that text cannot represent", () => {
    const twice = z.strictObject({ aB: z.string(), a: z.strictObject({ b: z.string() }) });
    expect(() => schemaVariables(twice, "SHOP")).toThrow("SHOP_A_B would set both aB and a.b");
    expect(() => schemaVariables(schema, "SHOP", { CLIENT: { key: "client" } })).toThrow("client");
  });
});
