import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { hasRedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type RunningService, ServiceRouter, sendJson, traceHeaders } from "../src/index.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
const exporter = new InMemorySpanExporter();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  await closeAll();
  for (const act of cleanUp.splice(0).reverse()) await act();
  exporter.reset();
});

const remote = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${remote}-00f067aa0ba902b7-01`;

async function startMailServer(): Promise<{ port: number; subjects: string[] }> {
  const subjects: string[] = [];
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: (_given, _session, done) => done(null, { user: "service" }),
    onData: async (stream, _session, done) => {
      let text = "";
      for await (const chunk of stream) text += chunk;
      subjects.push(/^Subject: (.*)\r$/m.exec(text)?.[1] ?? "");
      done();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  cleanUp.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, subjects };
}

const hasRedis = hasRedisServer();

async function startRedis(): Promise<string> {
  const server = await startRedisServer();
  cleanUp.push(server.kill);
  return server.url;
}

let database: Awaited<ReturnType<typeof createPushedDatabase>>;
beforeAll(async () => {
  database = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
});
afterAll(async () => void (await database?.drop()));

async function start(more: object = {}): Promise<RunningService> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "tracing-"));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  return init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
      fileUpload: { baseUploadDir: folder },
      use: [own],
      ...more,
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: database.url } },
  );
}

const own = ServiceRouter();
own.post({ path: "/mails" }, async (req, res) => {
  await req.app.locals.mailer.send({ to: "a@example.com", subject: "hello", text: "hello" });
  sendJson(res, 200, {});
});
own.get({ path: "/passed-on" }, (req, res) => sendJson(res, 200, traceHeaders(req)));
own.get({ path: "/fails" }, () => {
  throw new Error("with a secret");
});

/** Every span of the trace of one request, when the request has ended. */
async function spansOf(
  send: () => Promise<Response>,
): Promise<{ status: number; own: ReadableSpan; all: ReadableSpan[] }> {
  exporter.reset();
  const response = await send();
  await response.arrayBuffer();
  const find = () => exporter.getFinishedSpans().find(({ kind }) => kind === SpanKind.SERVER);
  await expect.poll(find).toBeDefined();
  const found = find() as ReadableSpan;
  const { traceId } = found.spanContext();
  const all = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
  return { status: response.status, own: found, all };
}

const namesOf = (spans: readonly ReadableSpan[]): string[] => spans.map(({ name }) => name);
/** Whether each span except the first has its parent among them. */
const isOneTree = (all: readonly ReadableSpan[], root: ReadableSpan): boolean =>
  all.every(
    (span) => span === root || all.some((other) => other.spanContext().spanId === span.parentSpanContext?.spanId),
  );

describe("with an OpenTelemetry SDK", () => {
  // As an application registers it, before the service.
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  beforeAll(() => provider.register());
  afterAll(() => {
    for (const registered of [trace, context, propagation]) registered.disable();
  });

  it("C69 a request is one span with its statements below it, part of the client's trace, and in the log", async () => {
    const { url } = await start();
    const body = JSON.stringify({ text: "a note" });
    const headers = { "content-type": "application/json", traceparent };
    const { status, own, all } = await spansOf(() => fetch(`${url}/api/notes`, { method: "POST", headers, body }));
    expect(status).toBe(201);
    expect(own.name).toBe("POST /api/notes");
    expect(own.spanContext().traceId).toBe(remote);
    expect(own.parentSpanContext?.spanId).toBe("00f067aa0ba902b7");
    expect(own.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/api/notes",
      "url.path": "/api/notes",
      "http.response.status_code": 201,
      "servicekit.model": "Note",
      "servicekit.operation": "createOne",
      "servicekit.caller": "anonymous",
    });
    const insert = all.find(({ name }) => name === "INSERT Note");
    expect(insert?.parentSpanContext?.spanId).toBe(own.spanContext().spanId);
    expect(insert?.attributes).toMatchObject({ "db.system.name": "postgresql", "db.collection.name": "Note" });
    expect(String(insert?.attributes["db.query.text"])).toContain("$1");
    expect(JSON.stringify(insert?.attributes)).not.toContain("a note");
    expect(isOneTree(all, own)).toBe(true);
    await expect
      .poll(() => logged().find(({ msg, route }) => msg === "request" && route === "/api/notes"))
      .toMatchObject({ traceId: remote });
  });

  it("C69 concurrent requests have separate statements, also if they wait for a connection", async () => {
    const { url } = await start();
    // The first query opens the connections.
    expect((await fetch(`${url}/api/notes`)).status).toBe(200);
    const count = 40;
    const parents = Array.from({ length: count }, (_, i) => (i + 1).toString(16).padStart(32, "0"));
    exporter.reset();
    await Promise.all(
      parents.map(async (id) => {
        const headers = { "content-type": "application/json", traceparent: `00-${id}-00f067aa0ba902b7-01` };
        const body = JSON.stringify([{ text: id }, { text: id }]);
        const response = await fetch(`${url}/api/notes/many`, { method: "POST", headers, body });
        expect(response.status).toBe(201);
      }),
    );
    const servers = () => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
    await expect.poll(() => servers().length).toBe(count);
    const shapes = servers().map((server) => {
      const { traceId } = server.spanContext();
      const all = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
      expect(isOneTree(all, server)).toBe(true);
      return namesOf(all).sort().join(" ");
    });
    expect(new Set(shapes).size).toBe(1);
    expect(new Set(servers().map((server) => server.spanContext().traceId))).toEqual(new Set(parents));
  });

  it("C69 files, emails and Redis are spans below the request, without keys, recipients and values", async () => {
    const { port, subjects } = await startMailServer();
    const { url } = await start({
      email: { host: "127.0.0.1", port, secure: false, auth: { user: "service@example.com", pass: "password" } },
      ...(hasRedis ? { redis: { url: await startRedis() } } : {}),
    });
    const form = new FormData();
    form.set("file", new Blob(["some text"], { type: "text/plain" }), "a.txt");
    const file = await spansOf(() => fetch(`${url}/api/uploads/documents`, { method: "POST", body: form }));
    expect(file.status).toBe(201);
    expect(namesOf(file.all)).toEqual(expect.arrayContaining(["storage create", "storage write", "storage commit"]));
    expect(isOneTree(file.all, file.own)).toBe(true);

    const mail = await spansOf(() => fetch(`${url}/mails`, { method: "POST" }));
    expect(subjects).toEqual(["hello"]);
    expect(namesOf(mail.all)).toContain("send email");
    expect(JSON.stringify(mail.all.map(({ attributes }) => attributes))).not.toContain("a@example.com");
    expect(isOneTree(mail.all, mail.own)).toBe(true);

    if (!hasRedis) return;
    const redis = mail.all.find(({ attributes }) => attributes["db.system.name"] === "redis");
    expect(redis?.name).toBe("EVALSHA");
    expect(Object.keys(redis?.attributes ?? {}).sort()).toEqual(["db.operation.name", "db.system.name"]);
  });

  it("C69 an error is recorded by its type only, and a request without a trace starts one", async () => {
    const { url } = await start();
    const { status, own } = await spansOf(() => fetch(`${url}/fails`));
    expect(status).toBe(500);
    expect(own.parentSpanContext).toBeUndefined();
    expect(own.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(own.attributes["error.type"]).toBe("Internal Server Error");
    expect(JSON.stringify([own.attributes, own.events])).not.toContain("secret");
  });

  it("C69 outgoing requests of a handler belong to its span", async () => {
    const { url } = await start();
    const reply: { traceparent?: string }[] = [];
    const { own } = await spansOf(async () => {
      const response = await fetch(`${url}/passed-on`, { headers: { traceparent, tracestate: "a=1" } });
      reply.push((await response.clone().json()) as object);
      return response;
    });
    expect(reply).toEqual([{ traceparent: `00-${remote}-${own.spanContext().spanId}-01`, tracestate: "a=1" }]);
  });
});

describe("without an OpenTelemetry SDK", () => {
  it("C69 the trace of the client is passed on and logged, and nothing is traced", async () => {
    const { url } = await start();
    const response = await fetch(`${url}/passed-on`, { headers: { traceparent, tracestate: "a=1" } });
    expect(await response.json()).toEqual({ traceparent, tracestate: "a=1" });
    const bad = await fetch(`${url}/passed-on`, {
      headers: { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` },
    });
    expect(await bad.json()).toEqual({});
    const lines = () => logged().filter(({ route }) => route === "/passed-on");
    await expect.poll(() => lines().length).toBe(2);
    expect(lines().map(({ traceId }) => traceId)).toEqual([remote, undefined]);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
