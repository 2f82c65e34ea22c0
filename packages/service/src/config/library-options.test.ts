import { expect, it } from "vitest";
import { corsOptions, helmetOptions } from "./library-options.js";

const issuesOf = (options: object, schema = helmetOptions) =>
  schema.safeParse(options).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

it("accepts the known keys, and reports unknown ones at both levels with the nearest known key", () => {
  expect(issuesOf({ noSniff: true, hsts: { maxAge: 1 }, frameguard: false })).toEqual([]);
  expect(issuesOf({ noSnif: true, hsts: { maxAgee: 1 } })).toEqual([
    "noSnif: Unknown key. Did you mean noSniff?",
    "hsts.maxAgee: Unknown key. Did you mean maxAge?",
  ]);
});

it("reports keys with the name of a property of every object", () => {
  expect(issuesOf({ constructor: { name: "x" } })).toEqual([expect.stringMatching(/^constructor: Unknown key/)]);
});

it("leaves texts and lists to the library", () => {
  expect(
    issuesOf({ methods: "GET,POST", allowedHeaders: ["X-A"], exposedHeaders: "X-B", maxAge: 5 }, corsOptions),
  ).toEqual([]);
  expect(issuesOf({ referrerPolicy: "no-referrer" })).toEqual([]);
});
