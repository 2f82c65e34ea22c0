import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import type { StartupError } from "@servicekit/core";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { variables } from "../src/config/variables.js";
import type { ServiceInitConfig } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
afterEach(closeAll);

const startupIssues = async (environment: Record<string, string>, config: ServiceInitConfig = {}) =>
  create(config, { environment }).then(
    () => [],
    (error: StartupError) => error.issues.map(({ where, source, message }) => ({ where, source, message })),
  );

describe("C68 the configuration by environment variables only", () => {
  it("C68 sets a maximum for a default of another source", async () => {
    const page = { default: 150 };
    const { config } = await create({ limits: { page } }, { environment: { SERVICE_LIMITS_PAGE_MAX: "200" } });
    expect(config.modelRouter.page).toEqual({ default: 150, max: 200 });
    const where = "limits.page.default";
    const message = "is greater than the maximum: found 150, and limits.page.max is 100.";
    expect(await startupIssues({}, { limits: { page } })).toEqual([{ where, source: undefined, message }]);
  });

  it("C68 sets scalar keys of every block", async () => {
    const { config } = await create(
      {},
      {
        environment: {
          SERVICE_TIMEOUTS_REQUEST: "1234",
          SERVICE_LIMITS_PAGE_MAX: "7",
          SERVICE_LIMITS_BODY: "2mb",
          SERVICE_MIDDLEWARES_SECURITY_HEADERS: "false",
          SERVICE_MIDDLEWARES_COMPRESSION_LEVEL: "-1",
          SERVICE_ROUTERS_STRICT: "no-bulk",
          SERVICE_DEBUGGING_REQUESTS_FILTER: "params,Body",
          SERVICE_APIDOCS_MODE: "orm",
          SERVICE_APIDOCS_AUTH: "false",
          SERVICE_SHUTDOWN_DRAIN: "0",
          SERVICE_FILE_UPLOAD_RESTRICTIONS_IMAGES_MAX_SIZE: "99",
          SERVICE_FILE_UPLOAD_STORAGE_TYPE: "s3",
          SERVICE_FILE_UPLOAD_STORAGE_BUCKET: "files",
          SERVICE_FILE_UPLOAD_STORAGE_ENDPOINT: "http://127.0.0.1:9",
          SERVICE_FILE_UPLOAD_STORAGE_REGION: "eu",
          SERVICE_FILE_UPLOAD_STORAGE_FORCE_PATH_STYLE: "true",
          CORS_ORIGINS: "https://a.example, https://b.example",
          TRUST_PROXY: "2",
        },
      },
    );
    expect(config.timeouts.request).toBe(1234);
    expect(config.modelRouter.page.max).toBe(7);
    expect(config.middlewares).toMatchObject({
      securityHeaders: false,
      compression: { level: -1 },
      serverJson: { limit: "2mb" },
      cors: { allowedOrigins: ["https://a.example", "https://b.example"] },
    });
    expect(config.modelRouter.strict).toBe("no-bulk");
    expect(config.debugging.requests?.filter).toEqual(["Params", "Body"]);
    expect(config.apiDocs).toMatchObject({ authentication: false, mode: "prisma" });
    expect([config.shutdown.drain, config.trustProxy]).toEqual([0, 2]);
    expect(config.fileUpload.restrictions.images.maxSize).toBe(99);
    expect(config.fileUpload.storage).toEqual({
      type: "s3",
      bucket: "files",
      endpoint: "http://127.0.0.1:9",
      region: "eu",
      forcePathStyle: true,
    });
  });

  it("C68 yields to service.init and the file, and overrides the defaults", async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-environment-"));
    fs.writeFileSync(path.join(directory, "package.json"), "{}");
    fs.writeFileSync(path.join(directory, "service.config.json"), '{"timeouts":{"idle":2,"headers":2}}');
    const environment = Object.fromEntries(
      ["REQUEST", "IDLE", "HEADERS"].map((name) => [`SERVICE_TIMEOUTS_${name}`, "1"]),
    );
    const { config } = await create({ timeouts: { headers: 3 } }, { directory, environment });
    expect(config.timeouts).toMatchObject({ request: 1, idle: 2, headers: 3, statement: 5000 });
    fs.rmSync(directory, { recursive: true });
  });

  it("C68 reports issues of variables together with all others", async () => {
    const environment = {
      SERVICE_TIMEOUTS_REQUEST: "abc",
      SERVICE_PORT: "99999",
      SERVICE_APIDOCS_MODE: "zodd",
      CORS_ORIGINS: "https://a.example/path",
      SERVICE_FILE_UPLOAD_STORAGE_BUCKET: "files",
      SERVICE_FILE_UPLOAD_STORAGE_CREDENTIALS_SECRET_ACCESS_KEY: "hush",
      SERVICE_MIDDLEWARES_RATE_LIMIT: "false",
      SERVICE_MIDDLEWARES_RATE_LIMIT_LIMIT: "5",
    };
    const issues = await startupIssues(environment, { limits: { term: 5 } } as ServiceInitConfig);
    expect(issues.map(({ where, source = "", message }) => `${where} (${source}): ${message}`)).toEqual([
      "limits.term (the init object): Unknown key. Did you mean terms?",
      'SERVICE_APIDOCS_MODE (): found "zodd" (text), expected "orm", "class-lib", "schema-lib", "prisma", "class-validator" or "zod". Did you mean "zod"?',
      'SERVICE_TIMEOUTS_REQUEST (): found "abc" (text), expected an integer number of milliseconds.',
      "SERVICE_MIDDLEWARES_RATE_LIMIT_LIMIT (): conflicts with SERVICE_MIDDLEWARES_RATE_LIMIT, which sets all of middlewares.rateLimit. Remove one of them.",
      "port (the environment variable SERVICE_PORT): found 99999 (a number), expected an integer from 0 to 65535.",
      'fileUpload.storage.type (): found nothing, expected "disk" or "s3". The environment variable SERVICE_FILE_UPLOAD_STORAGE_TYPE sets it too.',
      'middlewares.cors.allowedOrigins.0 (the environment variable CORS_ORIGINS): found "https://a.example/path" (text), expected an origin such as https://app.example.com, or "*".',
    ]);
    expect(JSON.stringify(issues)).not.toContain("hush");
  });

  it("C68 warns of an unknown variable with its prefix, with the nearest name", async () => {
    const lines: string[] = [];
    const stream = new PassThrough().on("data", (line) => lines.push(String(line)));
    const environment = { SERVICE_TIMEOUT_REQUEST: "5", SERVICE_MODELS: "x" };
    await create({ logger: pino(stream) }, { environment });
    expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)).toMatchObject([
      { msg: "The environment variable SERVICE_TIMEOUT_REQUEST is unknown. Did you mean SERVICE_TIMEOUTS_REQUEST?" },
      { msg: expect.stringMatching(/^The environment variable SERVICE_MODELS is unknown\./) },
    ]);
  });

  it("C97 warns of a variable that has no effect without another", async () => {
    const lines = new PassThrough();
    const environment = { EMAIL_PORT: "587", SERVICE_FILE_UPLOAD_STORAGE_REGION: "eu-west-1" };
    const { config } = await create({ logger: pino(lines) }, { environment });
    expect([config.email, config.fileUpload.storage]).toEqual([undefined, { type: "disk" }]);
    const text = String(lines.read());
    expect(text).toContain(
      "The environment variable EMAIL_PORT has no effect without email.host (EMAIL_HOST) and email.auth.",
    );
    expect(text).toContain("SERVICE_FILE_UPLOAD_STORAGE_REGION has no effect without fileUpload.storage.type");
  });

  it("C68 enables authentication, and then the JWT_ names count", async () => {
    const secret = "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e";
    const issues = await startupIssues({
      SERVICE_AUTHENTICATION_MODE: "static",
      JWT_SECRET: secret,
      JWT_EXPIRES_IN: "a month",
    });
    expect(issues[0]).toMatchObject({
      where: "authentication.jwt.expiresIn",
      source: "the environment variable JWT_EXPIRES_IN",
    });
    expect(await startupIssues({ JWT_EXPIRES_IN: "a month" })).toEqual([]);
  });

  it("C68 reads every variable: invalid text is an issue that names it", async () => {
    const named = Object.entries(variables).filter(([, how]) => !JSON.stringify(how).includes('"text"'));
    expect(named.length).toBeGreaterThan(80);
    for (const [name, how] of named.filter(([, { within }]) => within === undefined)) {
      const issues = await startupIssues({ [name]: "?" });
      const reported = issues.some(
        ({ where, source }) => where === name || source === `the environment variable ${name}`,
      );
      expect(reported, `${name} ${how.key} ${JSON.stringify(issues)}`).toBe(true);
    }
  });
});
