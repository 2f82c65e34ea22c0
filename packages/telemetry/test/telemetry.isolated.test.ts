import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { httpErrors } from "@servicekit/core";
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
  it("C69 count its requests by route and its refusals, at a port of their own", async () => {
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
  it("C69 are none, and nothing is loaded, without an SDK", async () => {
    expect(await openTracing()).toBeUndefined();
  });

  it("C69 are one for a request, with what it does below it, after its body was read too", async () => {
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
});
