import { readFileSync } from "node:fs";
import path from "node:path";
import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "./accounts/account-shop.js";

const file = path.join(import.meta.dirname, "../../../docs/guides/operation.md");
const exporter = new InMemorySpanExporter();
// As an application registers it, before the service.
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let database: AccountDatabase;
let shop: AccountShop;

beforeAll(async () => {
  provider.register();
  database = await createAccountDatabase();
  shop = await startAccounts({ database, accounts: "static", config: { metrics: { path: "/metrics", auth: false } } });
});
afterAll(async () => {
  await shop?.close();
  await database?.drop();
  for (const registered of [trace, context, propagation]) registered.disable();
});

const remote = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${remote}-00f067aa0ba902b7-01`;
const maxStatement = 96;

const msOf = ([seconds, nanoseconds]: readonly [number, number]): number => seconds * 1_000 + nanoseconds / 1_000_000;
const shown = (ms: number): string => `${ms.toFixed(1)} ms`;

/** The attributes of a span that are shown, without ids, which differ each time. */
function facts(span: ReadableSpan): string {
  const { "db.query.text": text, ...attributes } = span.attributes;
  if (typeof text === "string") {
    const line = text.replace(/\s+/g, " ");
    const short = line.length > maxStatement ? line.replace(/^SELECT .*? FROM /, "SELECT … FROM ") : line;
    return short.length > maxStatement ? `${short.slice(0, maxStatement)}…` : short;
  }
  return Object.entries(attributes)
    .filter(([name]) => !/^(url\.scheme|db\.|servicekit\.request_id)/.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

/** The spans of a trace as a tree in start order, with their start and duration. */
function drawTrace(spans: readonly ReadableSpan[], root: ReadableSpan): string[] {
  const childrenOf = (parent: ReadableSpan): readonly ReadableSpan[] =>
    spans
      .filter((span) => span.parentSpanContext?.spanId === parent.spanContext().spanId)
      .sort((a, b) => msOf(a.startTime) - msOf(b.startTime) || facts(a).localeCompare(facts(b)));
  const lines = (span: ReadableSpan, head: string, tail: string): string[] => {
    const name = `${head}${span.name}`.padEnd(32);
    const begins = shown(msOf(span.startTime) - msOf(root.startTime)).padStart(9);
    const below = childrenOf(span);
    const more = facts(span);
    return [
      `${name}${begins}${shown(msOf(span.duration)).padStart(9)}`,
      ...(more === span.name ? [] : [`${tail}${below.length > 0 ? "│ " : "  "}${more}`]),
      ...below.flatMap((child, index) => {
        const isLast = index === below.length - 1;
        return lines(child, `${tail}${isLast ? "└─" : "├─"} `, `${tail}${isLast ? "   " : "│  "}`);
      }),
    ];
  };
  return lines(root, "", "");
}

async function traceOf(
  username: string,
  method: string,
  target: string,
  bodyOf: (round: number) => unknown = () => undefined,
): Promise<readonly string[]> {
  const drawn: { readonly took: number; readonly lines: readonly string[] }[] = [];
  for (let round = 1; round <= 10; round++) {
    exporter.reset();
    const response = await shop.as<unknown>(username, method, target, bodyOf(round), { traceparent });
    expect(response.status).toBeLessThan(300);
    const seen = () => exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === remote);
    const find = () => seen().find(({ kind }) => kind === SpanKind.SERVER);
    await expect.poll(find).toBeDefined();
    const root = find() as ReadableSpan;
    expect(root.parentSpanContext?.spanId).toBe("00f067aa0ba902b7");
    drawn.push({ took: msOf(root.duration), lines: drawTrace(seen(), root) });
  }
  // Without one-time work, such as opening a connection, and unrelated spans.
  return drawn.sort((a, b) => a.took - b.took)[0]?.lines ?? [];
}

/** Without the parts that differ between runs: times, numbers, and the order of concurrent statements. */
const shapeOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) =>
      line
        .replace(/ +\d+\.\d ms/g, " _ ms")
        .replace(/ -?[\d.]+(e-?\d+)?$/, " _")
        .replace(/^[│├└─ ]+/, ""),
    )
    .sort();

/** The page with a replaced block; a block that differs only in times is left unchanged. */
function withBlock(page: string, name: string, lines: readonly string[]): string {
  const [head = "", rest = ""] = page.split(new RegExp(`(?<=<!-- ${name}: .+ -->\n)`));
  const end = rest.indexOf(`<!-- end of ${name} -->`);
  const before = rest.slice(0, end);
  const block = `\n\`\`\`text\n${lines.join("\n")}\n\`\`\`\n\n`;
  const isSame = JSON.stringify(shapeOf(before)) === JSON.stringify(shapeOf(block));
  return isSame ? page : `${head}${block}${rest.slice(end)}`;
}

async function drawTraces(): Promise<readonly string[]> {
  const list = await traceOf("ada", "GET", "/api/orders?limit=5&include=items");
  const write = await traceOf("root", "POST", "/api/tags/many", (round) => [
    { name: `one ${round}` },
    { name: `two ${round}` },
  ]);
  return [...list, "", ...write];
}

async function readMetrics(): Promise<readonly string[]> {
  const call = (target: string, init?: RequestInit): Promise<Response> => fetch(shop.url + target, init);
  const { id } = await database.client.product.findFirstOrThrow({ orderBy: { id: "asc" } });
  for (let i = 0; i < 40; i++) {
    await (await call("/api/products?limit=20")).arrayBuffer();
    await (await call(`/api/products/${id}`)).arrayBuffer();
  }
  const body = JSON.stringify({ username: "unknown", password: "not this one" });
  const headers = { "content-type": "application/json" };
  for (let i = 0; i < 12; i++) await (await call("/api/auth/login", { method: "POST", headers, body })).arrayBuffer();
  await (await call("/no/such/path")).arrayBuffer();
  const page = await (await call("/metrics")).text();
  const wanted =
    /^(http_|database_|password_|nodejs_eventloop_lag_p99|nodejs_heap_size_used|process_(cpu_seconds_total|resident))/;
  const unwanted = /_bucket|route="\/api\/(orders|tags|api-docs)|auth\/login",status="200"/;
  return page.split("\n").filter((line) => wanted.test(line) && !unwanted.test(line));
}

it("C69 docs/guides/operation.md shows the traces of two requests, and metrics, of the shop", async () => {
  const page = readFileSync(file, "utf8");
  const traces = await drawTraces();
  const metrics = await readMetrics();
  expect(metrics).toContain('http_request_duration_seconds_count{method="GET",route="/api/products",status="200"} 40');
  await expect(withBlock(withBlock(page, "trace", traces), "metrics", metrics)).toMatchFileSnapshot(file);
});
