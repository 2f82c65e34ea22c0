import { describe, expect, it } from "vitest";
import { authConfigSchema, authVariables, findAuthIssues, findAuthWarnings, readAuthSettings } from "./settings.js";

const strong = "x".repeat(32);
const production = { nodeEnv: "production" };
const development = { nodeEnv: "development" };

describe("settings of authentication", () => {
  it("the defaults of the specification", () => {
    const settings = readAuthSettings({ mode: "static", jwt: { secret: strong } }, development);
    expect(settings).toEqual({
      enabled: true,
      mode: "static",
      accounts: true,
      issuers: [],
      identify: undefined,
      cacheMs: 0,
      login: { allowedUsernames: ["username"], sendAccessTokenThrough: "both", normalizeNames: true },
      signup: { silent: false },
      rateLimit: { counts: true, windowMs: 5000, limit: 10, message: "Too many requests" },
      jwt: {
        secrets: [strong],
        lifetime: 30 * 86_400,
        issuer: undefined,
        audience: undefined,
        cookie: { secure: false, httpOnly: true, sameSite: "lax" },
      },
      session: { isConfigured: false, accessLifetime: 900, refreshLifetime: 30 * 86_400 },
      keys: {
        isConfigured: false,
        environment: "development",
        windowMs: 60_000,
        limit: 600,
        message: "Too many requests",
      },
      password: { cost: 12, maxPerRequest: 20 },
    });
    expect(Object.isFrozen(settings.jwt.cookie)).toBe(true);
    const inProduction = readAuthSettings({ mode: "static", jwt: { secret: strong } }, production);
    expect(inProduction.jwt.cookie).toEqual({ secure: true, httpOnly: true, sameSite: "none" });
  });

  it.each([
    ["30d", 2_592_000],
    ["12h", 43_200],
    ["15m", 900],
    ["3600s", 3600],
    ["3600", 3600],
  ])("reads the lifetime %s", (expiresIn, lifetime) => {
    const settings = readAuthSettings({ mode: "static", jwt: { secret: strong, expiresIn } }, development);
    expect(settings.jwt.lifetime).toBe(lifetime);
    expect(authConfigSchema.safeParse({ mode: "static", jwt: { expiresIn } }).success).toBe(true);
  });

  it.each(["", "0s", "-1d", "1.5h", "d", "30 days", "99999d", "1e9s"])("rejects the lifetime %j", (expiresIn) => {
    expect(authConfigSchema.safeParse({ mode: "static", jwt: { expiresIn } }).success).toBe(false);
  });

  it.each([
    ["no mode", {}],
    ["an unknown mode", { mode: "magic" }],
    ["an unknown key", { mode: "static", secret: "x" }],
    ["an unknown key inside", { mode: "static", jwt: { secrets: "x" } }],
    ["no login names", { mode: "static", login: { allowedUsernames: [] } }],
    ["a login name that is not a path", { mode: "static", login: { allowedUsernames: ["a b"] } }],
    ["a limit of nothing", { mode: "static", rateLimit: { limit: 0 } }],
    ["an unknown flag", { mode: "static", jwt: { cookie: { sameSite: "sometimes" } } }],
  ])("C38 rejects %s", (_, config) => {
    expect(authConfigSchema.safeParse(config).success).toBe(false);
  });

  it("C24 a missing secret prevents startup with instructions", () => {
    for (const secret of [undefined, "", " , ", []]) {
      const config = { mode: "static" as const, jwt: secret === undefined ? {} : { secret } };
      expect(() => readAuthSettings(config, development)).toThrow(/JWT_SECRET.*randomBytes\(48\)/s);
    }
    expect(() => readAuthSettings({ mode: "static", enabled: false }, production)).not.toThrow();
  });

  it("C24 a secret of less than 32 bytes prevents startup in production, and is a warning elsewhere", () => {
    const config = { mode: "static" as const, jwt: { secret: `${strong},short` } };
    const issues = findAuthIssues(config, production);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.message).toMatch(/^Secret 2 of 2 has 5 bytes/);
    expect(JSON.stringify(issues)).not.toContain("short");
    expect(findAuthWarnings(readAuthSettings(config, development)).join()).toContain("less than 32 bytes");
    expect(findAuthIssues({ mode: "static", jwt: { secret: "€".repeat(11) } }, production)).toEqual([]);
  });

  it("C24 a list of secrets keeps its order; elements of a list may contain commas", () => {
    const secretsOf = (secret: string | string[]) =>
      readAuthSettings({ mode: "static", jwt: { secret } }, development).jwt.secrets;
    expect(secretsOf("a, b ,c,")).toEqual(["a", "b", "c"]);
    expect(secretsOf(["a,b", "c"])).toEqual(["a,b", "c"]);
  });

  it("a cookie that browsers reject is a warning", () => {
    const jwt = { secret: strong, cookie: { secure: false, sameSite: "none" as const } };
    expect(findAuthWarnings(readAuthSettings({ mode: "static", jwt }, production)).join()).toContain("sameSite none");
  });

  it("the environment variables are below the block", () => {
    expect(Object.keys(authVariables)).toEqual([
      "JWT_SECRET",
      "JWT_EXPIRES_IN",
      "JWT_COOKIE_SECURE",
      "JWT_COOKIE_HTTP_ONLY",
      "JWT_COOKIE_SAME_SITE",
    ]);
    for (const { within } of Object.values(authVariables)) expect(within).toBe("authentication");
  });
});
