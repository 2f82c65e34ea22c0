import { describe, expect, it } from "vitest";
import { z } from "zod";
import { StartupError } from "../errors/start-error.js";
import { checkConfig } from "./check-config.js";

const count = z.int().min(1);
const handler = z.custom((value) => typeof value === "function", "expected a handler");

const schema = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  email: z.strictObject({ host: z.string(), auth: z.strictObject({ user: z.string(), pass: z.string() }) }).optional(),
  limits: z.strictObject({ page: z.strictObject({ default: count.optional(), max: count.optional() }) }).optional(),
  strict: z.union([z.boolean(), z.literal("no-bulk")]).optional(),
  rateLimit: z
    .union([z.literal(false), z.strictObject({ windowMs: count.optional(), limit: count }), handler])
    .optional(),
  cookieParser: z.union([z.literal(false), z.array(z.unknown()).meta({ secret: true })]).optional(),
  use: z.array(handler).optional(),
  pattern: z.instanceof(RegExp).optional(),
  hook: z.function().optional(),
  url: z.url().optional(),
  mode: z.enum(["static", "dynamic"]).optional(),
  categories: z.partialRecord(z.enum(["images", "videos"]), z.strictObject({ maxSize: count })).optional(),
  expiresIn: z
    .string()
    .regex(/^\d+d$/)
    .meta({ expected: 'a time such as "30d"' })
    .optional(),
  since: z.preprocess((value) => value, z.strictObject({ when: z.date() })).optional(),
  ratio: z.number().positive().max(1).optional(),
  names: z.array(z.string()).min(1).max(3).optional(),
  pair: z.tuple([z.string(), z.int()]).optional(),
  storage: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("disk") }),
      z.strictObject({ type: z.literal("s3"), bucket: z.string() }),
    ])
    .optional(),
  nested: z.union([z.union([z.boolean(), z.strictObject({ level: z.int() })]), handler]).optional(),
  tree: z.lazy(() => node).optional(),
  sizes: z
    .strictObject({ low: z.int(), high: z.int() })
    .refine(({ low, high }) => low <= high, "low is above high")
    .optional(),
  size: z.union([z.int(), z.string()]).optional().meta({ expected: 'a size such as "1mb"' }),
  weight: z.union([z.int(), z.string()]).meta({ expected: 'a weight such as "2kg"' }).optional(),
  height: z.union([z.int(), z.string().meta({ expected: 'a height such as "2m"' })]).optional(),
  checked: z
    .custom((value) => typeof value === "object")
    .pipe(z.strictObject({ depth: z.int() }))
    .optional(),
});
const node: z.ZodType = z.strictObject({
  get children() {
    return z.array(node).optional();
  },
});

/** Each issue as `where: sentence`. */
function issuesOf(value: unknown): string[] {
  try {
    checkConfig(value, schema);
    return [];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return error.issues.map(({ where, message }) => `${where}: ${message}`);
  }
}

describe("checkConfig", () => {
  it.each<[unknown, string]>([
    [{ port: "80" }, 'port: found "80" (text), expected an integer from 0 to 65535.'],
    [{ port: 1.5 }, "port: found 1.5 (a number), expected an integer from 0 to 65535."],
    [{ port: Number.NaN }, "port: found NaN (a number), expected an integer from 0 to 65535."],
    [{ port: null }, "port: found null, expected an integer from 0 to 65535."],
    [{ host: "" }, "host: found an empty string, expected a non-empty string."],
    [{ host: ["a"] }, "host: found a list of 1, expected a non-empty string."],
    [{ prot: 1 }, "prot: Unknown key. Did you mean port?"],
    [{ PORT: 1 }, "PORT: Unknown key. Did you mean port?"],
    [{ limits: { page: { maximum: 3 } } }, "limits.page.maximum: Unknown key. Did you mean max?"],
    [{ limits: { page: { zzz: 3 } } }, "limits.page.zzz: Unknown key; expected one of: default, max."],
    [
      { strict: "no-bluk" },
      'strict: found "no-bluk" (text), expected true, false or "no-bulk". Did you mean "no-bulk"?',
    ],
    [{ rateLimit: { limit: 1, window: 5 } }, "rateLimit.window: Unknown key. Did you mean windowMs?"],
    [{ rateLimit: {} }, "rateLimit.limit: found nothing, expected an integer of at least 1."],
    [{ storage: { type: "disk", bucket: "a" } }, "storage.bucket: Unknown key; expected one of: type."],
    [{ nested: { level: "high" } }, 'nested.level: found "high" (text), expected an integer.'],
    [{ rateLimit: true }, "rateLimit: found true, expected false, an object or a handler."],
    [{ use: [() => 1, 2] }, "use.1: found 2 (a number), expected a handler."],
    [{ pattern: "a" }, 'pattern: found "a" (text), expected an instance of RegExp.'],
    [{ hook: class A {} }, ""],
    [{ hook: 3 }, "hook: found 3 (a number), expected a function."],
    [{ url: "nowhere" }, 'url: found "nowhere" (text), expected a URL.'],
    [{ mode: "statik" }, 'mode: found "statik" (text), expected "static" or "dynamic". Did you mean "static"?'],
    [{ categories: { imges: { maxSize: 1 } } }, "categories.imges: Unknown key. Did you mean images?"],
    [
      { categories: { images: { maxSize: 0 } } },
      "categories.images.maxSize: found 0 (a number), expected an integer of at least 1.",
    ],
    [{ expiresIn: "soon" }, 'expiresIn: found "soon" (text), expected a time such as "30d".'],
    [{ since: { when: 3 } }, "since.when: found 3 (a number), expected a date."],
    [{ ratio: 0 }, "ratio: found 0 (a number), expected a number of at most 1 and greater than 0."],
    [{ names: [] }, "names: found an empty list, expected a list of 1 to 3 items."],
    [{ pair: ["a", "b"] }, 'pair.1: found "b" (text), expected an integer.'],
    [{ storage: { type: "s4" } }, 'storage.type: found "s4" (text), expected "disk" or "s3". Did you mean "s3"?'],
    [{ storage: { type: "s3" } }, "storage.bucket: found nothing, expected a string."],
    [{ tree: { children: [{ childern: [] }] } }, "tree.children.0.childern: Unknown key. Did you mean children?"],
    [{ sizes: { low: 2, high: 1 } }, "sizes: low is above high."],
    [{ size: false }, 'size: found false, expected a size such as "1mb".'],
    [{ weight: false }, 'weight: found false, expected a weight such as "2kg".'],
    [{ height: false }, 'height: found false, expected an integer or a height such as "2m".'],
    [{ checked: { depht: 1, depth: 1 } }, "checked.depht: Unknown key. Did you mean depth?"],
    [Object.fromEntries([["a".repeat(9), 1]]), "aaaaaaaaa: Unknown key; expected one of: port"],
    [null, "the configuration: found null, expected an object."],
    [[], "the configuration: found an empty list, expected an object."],
    [{ host: new Map() }, "host: found an object of the class Map, expected a non-empty string"],
    [JSON.parse('{"__proto__":{"port":1}}'), "__proto__: Unknown key; expected one of: port"],
    [{ host: 1n }, "host: found 1n (a number), expected a non-empty string."],
    [{ host: Symbol("x") }, "host: found a symbol, expected a non-empty string."],
    [{ host: Object.create(null) }, "host: found an object, expected a non-empty string."],
    [{ host: Promise.resolve(1) }, "host: found a promise, expected a non-empty string."],
    [{ port: "x".repeat(10_000) }, `port: found "${"x".repeat(60)}…" (text), expected`],
  ])("C38 reports what is wrong with %s", (value, sentence) => {
    const issues = issuesOf(value);
    expect(issues).toHaveLength(sentence === "" ? 0 : 1);
    if (sentence !== "") expect(issues[0]).toContain(sentence);
  });

  it("C38 does not suggest the rejected value itself", () => {
    const storage = z.object({ type: z.literal("s3") }).meta({ expected: '{ type: "s3" }' });
    expect(() => checkConfig({ storage: "s3" }, z.object({ storage }))).toThrow(
      /storage: found "s3" \(text\), expected \{ type: "s3" \}\.$/,
    );
  });

  it("C38 reports every issue with its path, what was found, what was expected and the nearest key", () => {
    try {
      checkConfig({ prot: 1, port: "80", email: { auth: {} } }, schema);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(StartupError);
      expect((error as StartupError).message).toMatchInlineSnapshot(`
        "The service cannot start (5 errors):
          - port: found "80" (text), expected an integer from 0 to 65535.
          - email.host: found nothing, expected a string.
          - email.auth.user: found nothing, expected a string.
          - email.auth.pass: found nothing, expected a string.
          - prot: Unknown key. Did you mean port?"
      `);
      expect((error as StartupError).issues[0]).toEqual({
        where: "port",
        found: '"80" (text)',
        expected: "an integer from 0 to 65535",
        message: 'found "80" (text), expected an integer from 0 to 65535.',
      });
      expect((error as StartupError).issues.at(-1)).toMatchObject({ where: "prot", nearest: "port" });
    }
  });

  it.each<[unknown]>([
    [{ email: { host: "h", auth: { user: "u", pass: 123_321_123 } } }],
    [{ email: { host: "h", auth: { user: "u", pass: ["123321123"] } } }],
    [{ cookieParser: "123321123" }],
    [{ port: "postgresql://me:123321123@host/db" }],
    [{ jwtSecret: "123321123" }],
    [{ email: { host: 1, accessToken: "123321123" } }],
  ])("never prints a secret: %s", (value) => {
    const issues = issuesOf(value);
    expect(issues).not.toEqual([]);
    expect(issues.join("\n")).not.toContain("123321123");
  });

  it("returns the configuration with the defaults of the schema, and preserves functions and instances", () => {
    const withDefault = z.strictObject({ port: z.int().default(8000), use: z.unknown() });
    const use = new (class Client {})();
    const config = checkConfig({ use }, withDefault);
    expect(config.port).toBe(8000);
    expect(config.use).toBe(use);
  });
});
