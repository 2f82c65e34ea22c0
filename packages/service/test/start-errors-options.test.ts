import { afterEach, describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { ServiceRouter } from "../src/index.js";
import { makeFailingStarter } from "./failing-start.js";

const { textOf, closeAll } = makeFailingStarter();
afterEach(closeAll);

describe("C38 a failing startup reports", () => {
  it("every unknown key, at every level, in each form", async () => {
    const config = {
      usse: [],
      jsonBodyParserOption: {},
      middlewares: { disabled: ["cors"], compression: { levle: 1 } },
      routers: { welcomeRout: false },
      jsonBodyParserOptions: { limt: "1mb" },
      validation: { resolver: "zod", stric: true },
      debugging: { requests: { filters: [] } },
      timeouts: { requests: 1 },
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (9 errors):
        - validation.stric (the init object): Unknown key. Did you mean strict?
        - middlewares.compression.levle (the init object): Unknown key. Did you mean level?
        - middlewares.disabled (the init object): Unknown key. Did you mean disable?
        - routers.welcomeRout (the init object): Unknown key. Did you mean welcomeRoute?
        - debugging.requests.filters (the init object): Unknown key. Did you mean filter?
        - timeouts.requests (the init object): Unknown key. Did you mean request?
        - jsonBodyParserOptions.limt (the init object): Unknown key. Did you mean limit?
        - usse (the init object): Unknown key. Did you mean use?
        - jsonBodyParserOption (the init object): Unknown key. Did you mean jsonBodyParserOptions?"
    `);
  });

  it("every unknown key for cors, helmet or a parser", async () => {
    const router = ServiceRouter();
    const options = { limits: { fileSize: 1 } };
    router.post({ path: "/form", bodyParser: [{ parser: "multipart", options }] } as never, () => undefined);
    const cors = { allowedOrigins: ["*"], options: { credential: true, origin: "*", maxAge: 1 } };
    const securityHeaders = { frameGuard: false, hsts: { maxage: 1 }, contentSecurityPolicy: { directives: {} } };
    const inCode = await textOf({ cors, middlewares: { securityHeaders } } as never);
    expect(inCode).toMatchInlineSnapshot(`
      "The service cannot start (4 errors):
        - middlewares.securityHeaders.frameGuard (the init object): Unknown key. Did you mean frameguard?
        - middlewares.securityHeaders.hsts.maxage (the init object): Unknown key. Did you mean maxAge?
        - cors.options.credential (the init object): Unknown key. Did you mean credentials?
        - cors.options.origin (the init object): Unknown key; expected one of: methods, allowedHeaders, exposedHeaders, credentials, maxAge, preflightContinue, optionsSuccessStatus."
    `);
    const text = `export default { middlewares: ${JSON.stringify({ cors, securityHeaders })} };`;
    expect((await textOf({}, { "service.config.mjs": text })).split("\n")).toHaveLength(5);
    expect(await textOf({ use: [router] })).toContain("bodyParser.0.options.limits: Unknown key. Did you mean limit?");
  });

  it("a schema of Zod 3", async () => {
    const router = ServiceRouter();
    router.post({ path: "/a", validation: { body: z3.object({}) } } as never, () => undefined);
    expect(await textOf({ use: [router] })).toMatch(/validation\.body: found a schema of Zod 3 \(install zod@4/);
  });

  it("keys of a file that are only allowed in service.init, with their name in a file", async () => {
    const text = `export default {
      use: [], configureApp() {}, compressionOptions: false, cors: false, middlewares: { disable: [] } };`;
    expect(await textOf({}, { "service.config.mjs": text })).toMatchInlineSnapshot(`
      "The service cannot start (5 errors):
        - middlewares.disable (service.config.mjs): This key is only allowed in service.init.
        - use (service.config.mjs): This key is only allowed in service.init.
        - configureApp (service.config.mjs): This key is only allowed in service.init.
        - compressionOptions (service.config.mjs): This is its name in service.init; here it is middlewares.compression.
        - cors (service.config.mjs): This is its name in service.init; here it is middlewares.cors."
    `);
  });

  it("the required keys of the blocks", async () => {
    expect(
      await textOf({ authentication: {}, fileUpload: {}, apidocs: {}, request: {}, validation: {} }),
    ).toMatchInlineSnapshot(`
      "The service cannot start (4 errors):
        - authentication.jwt.secret (JWT_SECRET): Authentication requires a secret to sign access tokens. Make one with: node -e "console.log(require('node:crypto').randomBytes(48).toString('base64url'))"
        - validation.resolver: found nothing, expected "zod", "schema-lib", "class-validator" or "class-lib". The environment variable SERVICE_VALIDATION_RESOLVER sets it too.
        - authentication.mode: found nothing, expected "static" or "dynamic". The environment variable SERVICE_AUTHENTICATION_MODE sets it too.
        - apidocs.mode: found nothing, expected "orm", "class-lib", "schema-lib", "prisma", "class-validator" or "zod". The environment variable SERVICE_APIDOCS_MODE sets it too."
    `);
  });

  it("every unknown key of the blocks", async () => {
    const config = {
      authentification: {},
      authentication: { mode: "static", login: { username: [] }, jwt: { secrets: "x", cookie: { samesite: "lax" } } },
      fileUpload: { baseUploadDirs: "x", restrictions: { image: {}, files: { maxsize: 1 } }, serverStaticOption: {} },
      apidocs: { mode: "orm", endpoints: "/docs" },
      apiDocs: {},
      request: { parameter: {}, parameters: { allowDangerousOrmQueryOption: true } },
      modulesDir: "x",
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (14 errors):
        - authentication.login.username (the init object): Unknown key; expected one of: allowedUsernames, sendAccessTokenThrough, normalizeNames.
        - authentication.jwt.cookie.samesite (the init object): Unknown key. Did you mean sameSite?
        - authentication.jwt.secrets (the init object): Unknown key. Did you mean secret?
        - fileUpload.restrictions.files.maxsize (the init object): Unknown key. Did you mean maxSize?
        - fileUpload.restrictions.image (the init object): Unknown key. Did you mean images?
        - fileUpload.baseUploadDirs (the init object): Unknown key. Did you mean baseUploadDir?
        - fileUpload.serverStaticOption (the init object): Unknown key. Did you mean serverStatic?
        - apidocs.endpoints (the init object): Unknown key. Did you mean endpoint?
        - request.parameters.allowDangerousOrmQueryOption (the init object): Unknown key. Did you mean allowDangerousOrmQueryOptions?
        - request.parameter (the init object): Unknown key. Did you mean parameters?
        - authentification (the init object): Unknown key. Did you mean authentication?
        - apiDocs (the init object): Unknown key. Did you mean apidocs?
        - modulesDir (the init object): Unknown key. Did you mean modulesDirectory?
        - authentication.jwt.secret (JWT_SECRET): Authentication requires a secret to sign access tokens. Make one with: node -e "console.log(require('node:crypto').randomBytes(48).toString('base64url'))""
    `);
  });

  it("every wrong type in the blocks, without showing a secret", async () => {
    const config = {
      authentication: {
        enabled: "no",
        mode: "statik",
        login: { allowedUsernames: [], sendAccessTokenThrough: "cookie" },
        rateLimit: { windowMs: 0, limit: "10" },
        jwt: { secret: { mine: "hunter2" }, expiresIn: "a month", cookie: { secure: "yes", sameSite: "laxx" } },
      },
      fileUpload: {
        baseUploadDir: "",
        baseRoute: "uploads",
        serverStatic: { maxAge: "long" },
        restrictions: { images: { maxSize: -1, supportedFilesRegex: "png" } },
        storage: "s3",
      },
      apidocs: { mode: "openapi", endpoint: "docs", strict: 1, options: { definition: { servers: {} } } },
      request: { parameters: { allowDangerousOrmQueryOptions: "true" } },
      modulesDirectory: 7,
      limits: { body: "much" },
    };
    const text = await textOf(config);
    expect(text).toMatchInlineSnapshot(`
      "The service cannot start (23 errors):
        - authentication.enabled (the init object): found "no" (text), expected true or false.
        - authentication.mode (the init object): found "statik" (text), expected "static" or "dynamic". Did you mean "static"?
        - authentication.login.allowedUsernames (the init object): found an empty list, expected a list of user fields.
        - authentication.login.sendAccessTokenThrough (the init object): found *** (text), expected "cookie-only", "response-only" or "both". Did you mean "cookie-only"?
        - authentication.rateLimit.windowMs (the init object): found 0 (a number), expected an integer number of milliseconds.
        - authentication.rateLimit.limit (the init object): found "10" (text), expected an integer of at least 1.
        - authentication.jwt.secret (the init object): found an object, expected a string or a list of strings.
        - authentication.jwt.expiresIn (the init object): found "a month" (text), expected a lifetime such as 30d, 12h, 15m or 3600s.
        - authentication.jwt.cookie.secure (the init object): found "yes" (text), expected true or false.
        - authentication.jwt.cookie.sameSite (the init object): found "laxx" (text), expected "lax", "strict" or "none". Did you mean "lax"?
        - fileUpload.baseUploadDir (the init object): found an empty string, expected a non-empty string.
        - fileUpload.baseRoute (the init object): found "uploads" (text), expected a path such as /api/uploads.
        - fileUpload.serverStatic.maxAge (the init object): found "long" (text), expected a number of milliseconds or a string such as 1d.
        - fileUpload.restrictions.images.maxSize (the init object): found -1 (a number), expected an integer of at least 1.
        - fileUpload.restrictions.images.supportedFilesRegex (the init object): found "png" (text), expected a regular expression.
        - fileUpload.storage (the init object): found "s3" (text), expected "disk" or { type: "s3", bucket, … }.
        - apidocs.endpoint (the init object): found "docs" (text), expected a path such as /api/api-docs.
        - apidocs.mode (the init object): found "openapi" (text), expected "orm", "class-lib", "schema-lib", "prisma", "class-validator" or "zod".
        - apidocs.strict (the init object): found 1 (a number), expected true or false.
        - apidocs.options.definition.servers (the init object): found an object, expected a list.
        - request.parameters.allowDangerousOrmQueryOptions (the init object): found "true" (text), expected true or false.
        - modulesDirectory (the init object): found 7 (a number), expected a non-empty string.
        - limits.body (the init object): found "much" (text), expected a number of bytes or a string such as 1mb."
    `);
    expect(text).not.toContain("hunter2");
  });

  it("invalid variables of authentication, if there is such a block", async () => {
    const environment = {
      NODE_ENV: "production",
      JWT_SECRET: "hunter2",
      JWT_EXPIRES_IN: "a month",
      JWT_COOKIE_SECURE: "perhaps",
      JWT_COOKIE_HTTP_ONLY: "2",
      JWT_COOKIE_SAME_SITE: "non",
    };
    const text = await textOf({}, { "service.config.json": '{"authentication":{}}' }, environment);
    expect(text).toMatchInlineSnapshot(`
      "The service cannot start (6 errors):
        - JWT_COOKIE_SECURE: found "perhaps" (text), expected true or false.
        - JWT_COOKIE_HTTP_ONLY: found "2" (text), expected true or false.
        - JWT_COOKIE_SAME_SITE: found "non" (text), expected "lax", "strict" or "none". Did you mean "none"?
        - authentication.jwt.secret (JWT_SECRET): The secret has 7 bytes; production requires at least 32. Make one with: node -e "console.log(require('node:crypto').randomBytes(48).toString('base64url'))"
        - authentication.mode: found nothing, expected "static" or "dynamic". The environment variable SERVICE_AUTHENTICATION_MODE sets it too.
        - authentication.jwt.expiresIn (the environment variable JWT_EXPIRES_IN): found "a month" (text), expected a lifetime such as 30d, 12h, 15m or 3600s."
    `);
    expect(text).not.toContain("hunter2");
  });

  it("the same issue of an option, globally and for a route", async () => {
    const router = ServiceRouter().get(
      {
        path: "/a",
        compression: { strategy: 99, levle: 1 },
        rateLimit: { windowMs: 0, max: 1 },
        queryParser: { parseNumber: 1 },
        bodyParser: [{ parser: "json", options: { limit: "much" } }],
      } as never,
      () => undefined,
    );
    const middlewares = {
      compression: { strategy: 99, levle: 1 },
      rateLimit: { windowMs: 0, max: 1 },
      queryParser: { parseNumber: 1 },
      serverJson: { limit: "much" },
    };
    const words = (text: string): string[] =>
      [
        ...text.matchAll(
          /(?:compression|rateLimit|queryParser|options|serverJson)\.([a-zA-Z]+)(?: \(the init object\))?: (.*)/g,
        ),
      ]
        .map(([, key, message]) => `${key}: ${message}`)
        .sort();
    const global = words(await textOf({ middlewares }));
    expect(global).toEqual([
      "levle: Unknown key. Did you mean level?",
      'limit: found "much" (text), expected a number of bytes or a string such as 1mb.',
      "parseNumber: found 1 (a number), expected true or false.",
      "strategy: found 99 (a number), expected an integer from 0 to 4.",
      "windowMs: found 0 (a number), expected an integer number of milliseconds.",
    ]);
    expect(words(await textOf({ use: [router] }))).toEqual(global);
  });

  it("unknown options of the validation library", async () => {
    const zod = { resolver: "zod", validationOptions: { reportInput: true, whitelist: true } };
    const classes = { resolver: "class-lib", validationOptions: { whitelst: true, forbidUnknownValues: false } };
    expect(await textOf({ validation: zod })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - validation.validationOptions.whitelist (the init object): Unknown key; expected one of: error, reportInput, jitless."
    `);
    expect(await textOf({ validation: classes })).toMatchInlineSnapshot(`
      "The service cannot start (2 errors):
        - validation.validationOptions.forbidUnknownValues (the init object): found false, expected true, because unknown objects would pass otherwise (CVE-2019-18413).
        - validation.validationOptions.whitelst (the init object): Unknown key. Did you mean whitelist?"
    `);
  });

  it("the requirements of a database", async () => {
    expect(await textOf({ database: {} })).toMatchInlineSnapshot(`
      "The service cannot start (2 errors):
        - database.client: found nothing, expected a Prisma client, or a function ({ adapter }) => new PrismaClient({ adapter }).
        - database.models: found nothing, expected the models generated by servicekit-prisma."
    `);
  });

  it("options of the page without effect", async () => {
    const options = { customCssUrl: "/my.css", explorer: true, customCss: ".a {}" };
    expect(await textOf({ apidocs: { mode: "orm", options } })).toMatchInlineSnapshot(`
      "The service cannot start (2 errors):
        - apidocs.options.customCssUrl (the init object): The page loads only its own files: set styles as customCss.
        - apidocs.options.explorer (the init object): The page shows only the document of this service."
    `);
  });

  it("that the secret of a configuration is publicly known", async () => {
    const authentication = { mode: "static", jwt: { secret: "secret-".repeat(8) } };
    expect(await textOf({ authentication }, {}, { NODE_ENV: "production" })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - authentication.jwt.secret (JWT_SECRET): The secret is a well-known placeholder. Make one with: openssl rand -base64 48"
    `);
  });

  it("that one setting of uploads is set twice, and its name in a file", async () => {
    const fileUpload = { serverStatic: { etag: false }, serverStaticOptions: { etag: true } };
    const files = { "service.config.json": '{"fileUpload":{"serverStaticOptions":{}}}' };
    expect(await textOf({ fileUpload })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - fileUpload.serverStaticOptions (the init object): fileUpload.serverStatic is also set elsewhere."
    `);
    expect(await textOf({}, files)).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - fileUpload.serverStaticOptions (service.config.json): This is its name in service.init; here it is fileUpload.serverStatic."
    `);
  });

  it("every wrong type, without showing secrets", async () => {
    const config = {
      port: 65_536,
      host: "",
      use: ["a", { get() {} }],
      configureApp: {},
      cookieParserParameters: "my secret",
      middlewares: {
        compression: { level: 10 },
        rateLimit: true,
        cors: { allowedOrigins: ["https://a.example/", "a.example"] },
        serverJson: { limit: "much" },
        errorHandler: {},
        additional: {},
      },
      email: { host: "mail.example", auth: { user: "u", pass: 12345 } },
      debugging: { requests: { level: 4, filter: ["Query", "Cookies"] } },
      models: { Product: { bulkItems: "many" } },
      trustProxy: {},
      publicUrl: "api.example.com",
      logger: {},
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (21 errors):
        - port (the init object): found 65536 (a number), expected an integer from 0 to 65535.
        - host (the init object): found an empty string, expected a non-empty string.
        - middlewares.cors.allowedOrigins.0 (the init object): found "https://a.example/" (text), expected an origin such as https://app.example.com, or "*".
        - middlewares.cors.allowedOrigins.1 (the init object): found "a.example" (text), expected an origin such as https://app.example.com, or "*".
        - middlewares.compression.level (the init object): found 10 (a number), expected an integer from -1 to 9.
        - middlewares.rateLimit (the init object): found true, expected false, an object or a function.
        - middlewares.serverJson.limit (the init object): found "much" (text), expected a number of bytes or a string such as 1mb.
        - middlewares.errorHandler (the init object): found an object, expected false or a function.
        - middlewares.additional (the init object): found an object, expected a list of handlers.
        - email.auth.pass (the init object): found *** (a number), expected a string.
        - debugging.requests.level (the init object): found 4 (a number), expected an integer from 0 to 3.
        - debugging.requests.filter.1 (the init object): found "Cookies" (text), expected "Params", "Query", "Headers" or "Body".
        - trustProxy (the init object): found an object, expected true, false, an integer of at least 0, a string or a list.
        - publicUrl (the init object): found "api.example.com" (text), expected a URL.
        - logger (the init object): found an object, expected a pino logger.
        - use.0 (the init object): found "a" (text), expected a handler or a router.
        - use.1 (the init object): found an object, expected a handler or a router.
        - configureApp (the init object): found an object, expected a function.
        - cookieParserParameters (the init object): found *** (text), expected false, a list of a signing secret and options or a function.
        - models: Unknown model Product; expected one of auth, file-upload.
        - models.Product.bulkItems: found "many" (text), expected an integer of at least 1."
    `);
  });

  it("that the library of validation and parts of the email settings are missing", async () => {
    const environment = { EMAIL_HOST: "mail.example", EMAIL_PORT: "smtp" };
    expect(await textOf({ validation: { strict: true } }, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (3 errors):
        - EMAIL_PORT: found "smtp" (text), expected an integer from 1 to 65535.
        - validation.resolver: found nothing, expected "zod", "schema-lib", "class-validator" or "class-lib". The environment variable SERVICE_VALIDATION_RESOLVER sets it too.
        - email.auth: found nothing, expected an object. The environment variables EMAIL_USER and EMAIL_PASSWORD set it too."
    `);
  });

  it("C97 nothing if only optional variables of a block are set, or all are blank", async () => {
    for (const name of ["EMAIL_PORT", "EMAIL_SECURE", "EMAIL_NAME", "EMAIL_FROM", "SERVICE_EMAIL_CA"]) {
      const text = { EMAIL_PORT: "587", EMAIL_SECURE: "false", EMAIL_FROM: "shop@example.com" }[name] ?? "x";
      expect([name, await textOf({}, {}, { [name]: text })]).toEqual([name, "It started."]);
    }
    expect(await textOf({}, {}, { SERVICE_APIDOCS_ENDPOINT: "/docs", SERVICE_VALIDATION_STRICT: "true" })).toBe(
      "It started.",
    );
    expect(await textOf({}, {}, { EMAIL_HOST: " ", EMAIL_USER: "", PORT: "", DATABASE_URL: " " })).toBe("It started.");
    expect(await textOf({}, {}, { EMAIL_PORT: "587", EMAIL_HOST: "mail.example" })).toContain(
      "email.auth: found nothing",
    );
  });

  it("that emails would have no sender, or an invalid one", async () => {
    const environment = { EMAIL_HOST: "mail.example", EMAIL_USER: "apikey", EMAIL_PASSWORD: "hunter2" };
    expect(await textOf({}, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - email.from: is missing: neither auth.user nor name is an email address, so messages have no sender. Set from (EMAIL_FROM)."
    `);
    expect(await textOf({ email: { from: "The Shop <shop@example.com>" } }, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - email.from (the init object): found "The Shop <shop@example.com>" (text), expected an email address alone (the display name belongs in \`name\`)."
    `);
    expect(await textOf({}, {}, { ...environment, EMAIL_FROM: "shop@example.com" })).toBe("It started.");
    // Set in code, and the rest in the environment.
    const email = { host: "localhost", auth: { user: "shop", pass: "x" } };
    expect(await textOf({ email }, {}, {})).toMatch(/\(1 error\):\n {2}- email\.from: is missing/);
    expect(await textOf({ email }, {}, { EMAIL_FROM: "shop@example.com" })).toBe("It started.");
    expect(await textOf({}, {}, { ...environment, EMAIL_USER: "shop@example.com" })).toBe("It started.");
    expect(await textOf({}, {}, { ...environment, EMAIL_NAME: "Shop <shop@example.com>" })).toBe("It started.");
  });
});

it.each<[string, unknown, RegExp]>([
  ["names of what every object has", { middlewares: { disable: ["constructor", "__proto__"] } }, /2 errors/],
  [
    "the same for routers",
    { routers: { replace: { constructor: () => undefined } } },
    /routers\.replace\.constructor \(the init object\): Unknown name "constructor"; expected one of/,
  ],
  ["a prototype", JSON.parse('{"__proto__":{"port":1}}'), /__proto__/],
  ["text in place of lists and objects", { use: "ab", middlewares: "ab", routers: "ab" }, /3 errors/],
  ["null in place of them", { use: null, middlewares: null, routers: null, cors: null, limits: null }, /5 errors/],
  [
    "null and text in place of the blocks",
    { authentication: null, fileUpload: "x", apidocs: [], request: 1, modulesDirectory: null },
    /5 errors/,
  ],
  [
    "null inside of the blocks",
    { authentication: { mode: null, jwt: null }, fileUpload: { restrictions: null } },
    /3 errors/,
  ],
  ["a prototype in a block", { request: JSON.parse('{"__proto__":{"parameters":{}}}') }, /__proto__/],
  [
    "null and numbers inside of them",
    { use: [null, 1], middlewares: { disable: [null], replace: [1] } },
    /4 errors|5 errors/,
  ],
  [
    "NaN and Infinity in place of numbers",
    { port: Number.NaN, timeouts: { request: Number.POSITIVE_INFINITY } },
    /2 errors/,
  ],
  ["an object in place of a list", { use: { length: 2 } }, /use \(the init object\): found an object/],
])("C38 hostile: %s", async (_title, config, text) => {
  expect(await textOf(config)).toMatch(text);
});

it("C38 a cyclic object prevents startup without ending the process", async () => {
  const limits: Record<string, unknown> = {};
  limits.page = limits;
  expect(await textOf({ limits })).toMatch(/limits\.page\.page/);
});
