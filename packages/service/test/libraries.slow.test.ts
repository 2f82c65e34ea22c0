import "reflect-metadata";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { IsString } from "class-validator";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { z } from "zod";
import { type CalledFunction, type CallWatch, watchCalls } from "../../../scripts/test/watch-calls.js";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { ServiceRouter } from "../src/index.js";
import { type ServedSchema, serveSchema } from "./served-schema.js";

class Message {
  text!: string;
}
IsString()(Message.prototype, "text");

const router = ServiceRouter();
router.post({ path: "/by-zod", validation: { body: z.object({ text: z.string() }) } }, (request, response) => {
  response.json({ data: request.body });
});
router.post({ path: "/by-class", validation: { body: Message } }, (request, response) => {
  response.json({ data: request.body });
});
router.get({ path: "/limited", rateLimit: { windowMs: 60_000, max: 5 } }, (_request, response) => {
  response.json({ data: [] });
});
router.get({ path: "/long" }, (_request, response) => {
  response.json({ data: "long ".repeat(20_000) });
});
router.post(
  { path: "/photo", experimental: { uploads: { type: "single", field: "file" } } },
  (request, response) => void response.json({ data: request.file }),
);
router.post({ path: "/form", bodyParser: [{ parser: "multipart" }] }, (request, response) => {
  response.json({ data: request.body });
});
router.post({ path: "/text", bodyParser: [{ parser: "text" }] }, (request, response) => {
  response.json({ data: request.body });
});

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-libraries-"));
const mails: string[] = [];
const mailServer = new SMTPServer({
  logger: false,
  disabledCommands: ["STARTTLS"],
  allowInsecureAuth: true,
  onAuth: (_auth, _session, done) => done(null, { user: "shop@example.com" }),
  onData(stream, _session, done) {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
    });
    stream.on("end", () => {
      mails.push(text);
      done();
    });
  },
});

/** The functions that were called during the start and during each request. */
const calls = new Map<string, readonly CalledFunction[]>();
let watch: CallWatch;
let served: ServedSchema;

/** Sends a request and records the functions that were called until its response has arrived, and until `done` is true. */
async function record(
  name: string,
  target: string,
  init: RequestInit = {},
  done: () => boolean = () => true,
): Promise<string> {
  const response = await fetch(`${served.service.url}${target}`, init);
  const text = await response.text();
  await vi.waitUntil(done, { timeout: 60_000, interval: 5 });
  expect([name, response.ok, text]).toEqual([name, true, text]);
  calls.set(name, await watch.take());
  return text;
}

const post = (body: unknown): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});
const formOf = (name: string, value: string | Blob): FormData => {
  const form = new FormData();
  if (typeof value === "string") form.append(name, value);
  else form.append(name, value, "a.pdf");
  return form;
};

beforeAll(async () => {
  mailServer.listen(0, "127.0.0.1");
  await once(mailServer.server, "listening");
  watch = await watchCalls();
  served = await serveSchema(inject("postgresUrl"), {
    generated: path.join(import.meta.dirname, "../../auth/test/generated/static"),
    schema: { directory: path.join(import.meta.dirname, "../../auth/test/fixtures/static") },
    config: {
      use: [router],
      authentication: {
        mode: "static",
        password: { cost: 4 },
        jwt: { secret: "a secret of tests that has more than 32 bytes" },
      },
      models: { Note: { auth: { all: false } } },
      apidocs: { mode: "prisma" },
      fileUpload: { baseUploadDir: directory },
      middlewares: { requestLogger: false, cors: { allowedOrigins: ["https://a.test"] } },
      email: {
        host: "127.0.0.1",
        port: (mailServer.server.address() as AddressInfo).port,
        secure: false,
        auth: { user: "shop@example.com", pass: "secret" },
      },
    } as ServiceInitConfig,
  });
  calls.set("start", await watch.take());

  await record("JSON for Zod", "/by-zod", post({ text: "a" }));
  await record("JSON for a class", "/by-class", post({ text: "a" }));
  await record("text", "/text", { method: "POST", body: "a", headers: { "content-type": "text/plain" } });
  const credentials = { username: "ann", password: "correct horse battery" };
  await record("signup", "/api/auth/signup", post({ ...credentials, email: "ann@example.com" }));
  const login = await record("login", "/api/auth/login", post(credentials), () => mails.length === 1);
  const { accessToken } = JSON.parse(login) as { accessToken: string };
  await record("cookie", "/api/users/me", { headers: { cookie: `access_token=${accessToken}` } });
  await record("form", "/form", { method: "POST", body: formOf("a", "1") });
  await record("upload", "/photo", { method: "POST", body: formOf("file", new Blob(["%PDF-1.7\n%%EOF\n"])) });
  await record("limited route", "/limited");
  await record("compressed response", "/long", { headers: { "accept-encoding": "gzip" } });
  const requested = { origin: "https://a.test", "access-control-request-method": "POST" };
  await record("preflight", "/by-zod", { method: "OPTIONS", headers: requested });
  await record("documentation", "/api/api-docs");
  await record("model route", "/api/notes");
  const seen = mails.length;
  await record("mail", "/api/auth/forgot-password", post({ email: "ann@example.com" }), () => mails.length > seen);
});
afterAll(async () => {
  watch?.close();
  await served?.close();
  mailServer.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

/** Functions that run when a library is used, not when it is imported. */
const libraries: readonly [library: string, during: string, file: string, functions: readonly string[]][] = [
  ["express", "JSON for Zod", "express/lib/application.js", ["handle"]],
  ["express.json", "JSON for Zod", "body-parser/lib/types/json.js", ["jsonParser", "parse"]],
  ["express.text", "text", "body-parser/lib/types/text.js", ["textParser"]],
  ["zod", "JSON for Zod", "zod/v4/core/schemas.js", ["inst._zod.parse"]],
  ["class-validator", "JSON for a class", "class-validator/cjs/validation/ValidationExecutor.js", ["execute"]],
  ["class-transformer", "JSON for a class", "class-transformer/cjs/ClassTransformer.js", ["plainToInstance"]],
  ["bcryptjs", "signup", "bcryptjs/index.js", ["hashSync"]],
  ["bcryptjs", "login", "bcryptjs/index.js", ["compareSync"]],
  ["@prisma/client", "signup", "@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs", ["compile"]],
  ["jose", "login", "jose/dist/webapi/jwt/sign.js", ["sign"]],
  ["jose", "cookie", "jose/dist/webapi/jwt/verify.js", ["jwtVerify"]],
  ["cookie-parser", "cookie", "cookie-parser/index.js", ["cookieParser", "JSONCookies"]],
  ["multer", "form", "multer/lib/make-middleware.js", ["multerMiddleware", "done"]],
  ["multer", "upload", "multer/lib/make-middleware.js", ["multerMiddleware", "done"]],
  ["express-rate-limit", "limited route", "express-rate-limit/dist/index.mjs", ["increment", "setDraft6Headers"]],
  ["compression", "compressed response", "compression/index.js", ["compression", "shouldCompress", "toBuffer"]],
  ["cors", "preflight", "cors/lib/index.js", ["configureMethods", "applyHeaders"]],
  ["helmet", "start", "helmet/index.mjs", ["contentSecurityPolicyMiddleware"]],
  ["swagger-ui-express", "documentation", "swagger-ui-express/index.js", ["generateHTML"]],
  [
    "@asteasolutions/zod-to-openapi",
    "documentation",
    "@asteasolutions/zod-to-openapi/dist/index.cjs",
    ["registerPath", "registerComponent", "generateDocument"],
  ],
  ["pluralize", "start", "pluralize/pluralize.js", ["sanitizeWord"]],
  ["nodemailer", "mail", "nodemailer/dist/esm/mailer/index.js", ["sendMail"]],
];

it.each(libraries)("%s runs: %s", (_library, during, file, functions) => {
  const called = new Set((calls.get(during) ?? []).flatMap((call) => (isOf(call.file, file) ? [call.name] : [])));
  expect(
    functions.filter((name) => !called.has(name)),
    `of ${[...called].join(", ")}`,
  ).toEqual([]);
});

const isOf = (path: string, file: string): boolean => path.endsWith(`/node_modules/${file}`);

/** Imports files in a process of its own and prints the functions that run meanwhile. */
const importFiles = `
  import { Session } from "node:inspector/promises";
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (const file of process.argv.slice(1)) await import(file);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const called = result.map(({ url, functions }) => [
    url,
    functions.filter(({ ranges }) => ranges[0].count > 0).map(({ functionName }) => functionName),
  ]);
  process.stdout.write(JSON.stringify(called), () => process.exit(0));
`;

it("distinguishes a used library from one that is only imported", () => {
  const all = [...calls.values()].flat();
  const files = libraries.map(([, , file]) => all.find((call) => isOf(call.file, file))?.file ?? file);
  const flags = ["--input-type=module", "--eval", importFiles];
  const printed = execFileSync(process.execPath, [...flags, ...new Set(files)], { encoding: "utf8" });
  const imported = JSON.parse(printed) as readonly (readonly [url: string, functions: readonly string[]])[];
  for (const [library, , file, functions] of libraries) {
    const found = imported.filter(([url]) => isOf(url, file));
    expect([library, found.length]).toEqual([library, 1]);
    const called = found.flatMap(([, names]) => names);
    expect([library, functions.filter((name) => called.includes(name))]).toEqual([library, []]);
  }
});
