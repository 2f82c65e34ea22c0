import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { httpErrors } from "@servicekit/core";
import { setCaller } from "@servicekit/router/internal";
import express, { type Express, type Request } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { openMetrics, openTracing, traceHeaders } from "../src/index.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

async function listen(app: Express): Promise<string> {
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const routeOf = (request: Request): string | undefined => request.route?.path;

describe("metrics of a plain Express application", () => {
  it("C69 count its requests by route and its rejections, at a separate port", async () => {
    const metrics = await openMetrics(
      { port: 0 },
      { routeOf, poolState: () => ({ size: 5, used: 1, idle: 2, waiting: 3 }) },
    );
    cleanUp.push(metrics.release);
    const app = express();
    app.use(...metrics.handlers);
    app.get("/books/:id", (_request, response) => void response.json({}));
    app.get("/full", () => {
      throw httpErrors.TooManyRequests();
    });
    app.use(...metrics.errorHandlers);
    const url = await listen(app);
    for (const path of ["/books/1", "/books/2", "/nothing"]) await (await fetch(url + path)).text();
    await (await fetch(`${url}/full`)).text();
    const server = metrics.server as Server;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const page = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await expect.poll(page).toContain('http_requests_refused_total{code="TooManyRequests"} 1');
    const lines = (await page()).split("\n");
    const count = 'http_request_duration_seconds_count{method="GET",';
    expect(lines).toContain(`${count}route="/books/:id",status="200"} 2`);
    expect(lines).toContain(`${count}route="(no route)",status="404"} 1`);
    expect(lines).toContain("database_pool_waiting 3");
    metrics.release();
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });
});

describe("spans of a plain Express application", () => {
  it("C69 do not exist without an SDK, and nothing is loaded", async () => {
    expect(await openTracing()).toBeUndefined();
  });

  it("C69 exist once per request, with its operations as children, also after its body was read", async () => {
    const exporter = new InMemorySpanExporter();
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    cleanUp.push(() => [trace, context, propagation].map((registered) => registered.disable()));
    const tracing = await openTracing({ routeOf });
    const app = express();
    app.use(...(tracing?.handlers ?? []), express.json(), ...(tracing?.matched ?? []));
    app.post("/books/:id", async (request, response) => {
      await tracing?.aroundStatement("SELECT 1 FROM books", async () => undefined);
      response.json(traceHeaders(request));
    });
    const url = await listen(app);
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/books/7?key=secret`, { method: "POST", headers, body: '{"a":1}' });
    const { traceparent } = (await response.json()) as { traceparent: string };
    const own = () => exporter.getFinishedSpans().find(({ kind }) => kind === SpanKind.SERVER);
    await expect.poll(own).toBeDefined();
    const statement = exporter.getFinishedSpans().find(({ name }) => name === "SELECT books");
    expect(statement?.parentSpanContext?.spanId).toBe(own()?.spanContext().spanId);
    expect(traceparent).toBe(`00-${own()?.spanContext().traceId}-${own()?.spanContext().spanId}-01`);
    expect(own()).toMatchObject({
      name: "POST /books/:id",
      attributes: { "url.path": "/books/7", "http.response.status_code": 200 },
    });
    expect(own()?.instrumentationScope.name).toBe("@servicekit/telemetry");
  });

  it("C69 report failures by their class and code, and never by their message", async () => {
    const exporter = new InMemorySpanExporter();
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    cleanUp.push(() => [trace, context, propagation].map((registered) => registered.disable()));
    const tracing = await openTracing({ routeOf, name: "own", pathOf: () => "/masked" });
    const app = express();
    app.use(...(tracing?.handlers ?? []));
    const failures: readonly unknown[] = [httpErrors.Conflict("secret"), new TypeError("secret"), "secret"];
    const stored: express.Response[] = [];
    app.get("/status/:status", async ({ params, query }, response) => {
      if (query.user !== undefined)
        setCaller(response.req, { id: 1, roles: [], isSuperUser: query.user === "super", user: {} });
      for (const failure of failures)
        await tracing?.aroundStorage("put", () => Promise.reject(failure)).catch(() => undefined);
      response.sendStatus(Number(params.status));
    });
    app.get("/held", (_request, response) => void stored.push(response));
    const url = await listen(app);
    for (const path of ["/status/200", "/status/404?user=normal", "/status/503?user=super", "/status/599"])
      await (await fetch(url + path)).text();
    const gone = new AbortController();
    const aborted = fetch(`${url}/held`, { signal: gone.signal }).catch(() => undefined);
    await expect.poll(() => stored.length).toBe(1);
    gone.abort();
    await aborted;
    const spans = (kind: SpanKind) => exporter.getFinishedSpans().filter((span) => span.kind === kind);
    await expect.poll(() => spans(SpanKind.SERVER).length).toBe(5);
    const facts = spans(SpanKind.SERVER).map(({ status, attributes }) => [
      attributes["error.type"],
      status.code,
      attributes["servicekit.caller"],
    ]);
    expect(facts).toEqual([
      [undefined, 0, "anonymous"],
      [undefined, 0, "user"],
      ["Service Unavailable", 2, "superuser"],
      ["599", 2, "anonymous"],
      ["ConnectionClosed", 2, "anonymous"],
    ]);
    const acts = spans(SpanKind.CLIENT).slice(0, 3);
    expect(acts.map(({ attributes, status }) => [attributes["error.type"], status.code])).toEqual([
      ["Conflict", 2],
      ["TypeError", 2],
      ["Error", 2],
    ]);
    const [span] = spans(SpanKind.SERVER);
    expect(span?.attributes["url.path"]).toBe("/masked");
    expect(span?.instrumentationScope.name).toBe("own");
    expect(
      JSON.stringify(exporter.getFinishedSpans().map(({ attributes, events }) => [attributes, events])),
    ).not.toContain("secret");
  });

  it("C69 continue the trace of the client, and are children of a span that another instrumentation began", async () => {
    const exporter = new InMemorySpanExporter();
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    cleanUp.push(() => [trace, context, propagation].map((registered) => registered.disable()));
    const tracing = await openTracing({ routeOf });
    const app = express();
    const outer = trace.getTracer("other");
    app.use("/inner", (_request, response, next) => {
      outer.startActiveSpan("outer", (span) => {
        response.once("close", () => span.end());
        next();
      });
    });
    app.use(...(tracing?.handlers ?? []));
    app.use((_request, response) => void response.end());
    const url = await listen(app);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await (await fetch(url, { headers: { traceparent } })).text();
    await (await fetch(`${url}/inner`, { headers: { traceparent } })).text();
    const spanOf = (kind: SpanKind) =>
      exporter.getFinishedSpans().find((span) => span.kind === kind && span.name === "GET");
    await expect.poll(() => spanOf(SpanKind.INTERNAL)).toBeDefined();
    expect(spanOf(SpanKind.SERVER)?.spanContext().traceId).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
    expect(spanOf(SpanKind.SERVER)?.parentSpanContext?.spanId).toBe("00f067aa0ba902b7");
    await expect.poll(() => exporter.getFinishedSpans().find(({ name }) => name === "outer")).toBeDefined();
    const other = exporter.getFinishedSpans().find(({ name }) => name === "outer");
    expect(spanOf(SpanKind.INTERNAL)?.parentSpanContext?.spanId).toBe(other?.spanContext().spanId);
  });
});
