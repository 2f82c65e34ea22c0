import { describe, expect, it } from "vitest";
import { type ApiDocsConfig, apiDocsSchema, readApiDocsSettings } from "./settings.js";

describe("C47 the settings of the documentation", () => {
  it("document the models if there is no block", () => {
    expect(readApiDocsSettings(undefined, { nodeEnv: "development" })).toEqual({
      enabled: true,
      isGuarded: false,
      authentication: false,
      endpoint: "/api/api-docs",
      mode: "prisma",
      strict: false,
      options: {},
      referenceUiConfiguration: {},
    });
  });

  it.each([
    ["development", undefined, true],
    ["test", undefined, true],
    ["production", undefined, false],
    ["staging", undefined, false],
    ["production", true, true],
    ["development", false, true],
  ])("in %s with enableAfterBuild %s: %s", (nodeEnv, enableAfterBuild, enabled) => {
    const config = { mode: "orm" as const, ...(enableAfterBuild === undefined ? {} : { enableAfterBuild }) };
    expect(readApiDocsSettings(config, { nodeEnv }).enabled).toBe(enabled);
  });

  it("disable it outside development and tests, unless access is configured", () => {
    const access = { resource: "api-docs", action: "View" };
    const read = (nodeEnv: string, auth?: boolean | readonly string[]) =>
      readApiDocsSettings({ mode: "orm", ...(auth === undefined ? {} : { auth }) }, { nodeEnv }).authentication;
    expect(["development", "test", "production"].map((nodeEnv) => read(nodeEnv))).toEqual([false, false, access]);
    expect([read("production", false), read("test", true)]).toEqual([false, true]);
    expect(read("production", ["ADMIN"])).toEqual({ ...access, rule: ["ADMIN"] });
  });

  it.each([
    ["orm", "prisma"],
    ["class-lib", "class-validator"],
    ["schema-lib", "zod"],
    ["prisma", "prisma"],
    ["class-validator", "class-validator"],
    ["zod", "zod"],
  ] as const)("accept the word %s for %s", (word, mode) => {
    expect(readApiDocsSettings({ mode: word }, { nodeEnv: "test" }).mode).toBe(mode);
  });

  it("pass on the options of the pages, and are frozen", () => {
    const config = {
      mode: "zod",
      endpoint: "/docs",
      strict: true,
      options: { definition: { info: { title: "Shop", contact: {} }, servers: [{ url: "/" }] }, filter: true },
      referenceUiConfiguration: { theme: "moon" },
    } satisfies ApiDocsConfig;
    const settings = readApiDocsSettings(apiDocsSchema.parse(config) as ApiDocsConfig, { nodeEnv: "test" });
    expect(settings).toMatchObject({ ...config, enabled: true });
    expect([settings, settings.options, settings.referenceUiConfiguration].every(Object.isFrozen)).toBe(true);
  });

  it.each<[object]>([
    [{}],
    [{ mode: "xml" }],
    [{ mode: "orm", strict: "yes" }],
    [{ mode: "orm", endpoints: "/docs" }],
    ...["docs", "/", "/docs/", "//docs", "/docs/:id", "/do cs", "/docs?x", "/*", "/{a}"].map((endpoint): [object] => [
      { mode: "orm", endpoint },
    ]),
    [{ mode: "orm", options: { definition: { servers: [{}] } } }],
    [{ mode: "orm", options: { definition: { info: { title: 1 } } } }],
    [{ mode: "orm", options: { tryItOutEnabled: "yes" } }],
  ])("reject %j", (config) => {
    expect(apiDocsSchema.safeParse(config).success).toBe(false);
  });
});
