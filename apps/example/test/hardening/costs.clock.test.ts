import fs from "node:fs";
import http from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  password,
  startAccounts,
} from "../accounts/account-shop.js";
import { noise } from "../noise.js";
import { type OpenShop, startOpenShop } from "../open-shop.js";

/** The cost of one request. */
interface Cost {
  readonly status: number;
  readonly kilobytes: number;
  /**
   * The longest time in which the event loop was blocked, and the processor time of this process and of PostgreSQL, in
   * milliseconds.
   */
  readonly delay: number;
  readonly cpu: number;
  readonly database: number;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const agent = new http.Agent({ keepAlive: true });

/** Sends a request, and reads the response without storing it: the client shares the process with the service. */
function send(url: string, { method = "GET", path, body, headers }: Sent): Promise<{ status: number; bytes: number }> {
  const raw = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const type = raw === undefined ? {} : { "content-type": "application/json", "content-length": raw.length };
    const request = http.request(
      `${url}/api${path}`,
      { agent, method, headers: { ...type, ...headers } },
      (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.length));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes }));
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(raw);
  });
}

/** Clock ticks per second in Linux. */
const ticks = 100;

type Sql = (text: string) => Promise<readonly Record<string, unknown>[]>;

/** The processor time of all sessions of a database except the own one, in milliseconds; 0 for a remote server. */
async function databaseTime(sql: Sql): Promise<number> {
  const rows = await sql(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  let used = 0;
  for (const { pid } of rows) {
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
      const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(")")).split(" ");
      used += Number(user) + Number(system);
    } catch {
      // The session has ended, or the server runs on another machine.
    }
  }
  return (used * 1_000) / ticks;
}

async function costOf(url: string, sql: Sql, sent: Sent): Promise<Cost> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const database = await databaseTime(sql);
  const cpu = process.cpuUsage();
  delays.enable();
  const { status, bytes } = await send(url, sent);
  // A delay is recorded when it ends.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 2));
  delays.disable();
  const { user, system } = process.cpuUsage(cpu);
  return {
    status,
    kilobytes: Math.round(bytes / 1024),
    delay: delays.max / 1e6,
    cpu: (user + system) / 1_000,
    database: (await databaseTime(sql)) - database,
  };
}

/** The minimum of some tries, because other programs only add to the cost of a request; the first try warms up. */
async function leastCost(url: string, sql: Sql, request: () => Sent): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < 4; round++) costs.push(await costOf(url, sql, request()));
  const [, first, ...others] = costs as [Cost, Cost, ...Cost[]];
  const min = (of: "delay" | "cpu" | "database"): number => Math.min(first[of], ...others.map((one) => one[of]));
  return { ...first, delay: min("delay"), cpu: min("cpu"), database: min("database") };
}

const print = (title: string, rows: ReadonlyMap<string, Cost>): void => {
  const lines = [...rows].map(
    ([name, { status, kilobytes, delay, cpu, database }]) =>
      `| ${name} | ${status} | ${kilobytes} | ${delay.toFixed(0)} | ${cpu.toFixed(0)} | ${database.toFixed(0)} |`,
  );
  const head = "| request | status | KB | event-loop delay | process CPU | database CPU |\n|---|---|---|---|---|---|";
  process.stdout.write(`\n${title}, in milliseconds\n\n${head}\n${lines.join("\n")}\n`);
};

/** The limits are 50 and 200 ms; a shared machine needs tolerance. */
const maxDelay = 250;
const maxDatabase = 400;
/** The default of `timeouts.statement`. */
const statementLimit = 5_000;

const repeat = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join("&");

const openRequests: Readonly<Record<string, () => Sent>> = {
  "20 conditions behind the same three relations": () => ({
    path: `/reviews?${repeat(20, (at) => `and[${at}][product__category__parent__name__not]=x${at}`)}`,
  }),
  "20 relations that must each be met": () => ({
    path: `/products?${repeat(20, (at) => `and[${at}][reviews__rating__gte]=${at % 5}`)}`,
  }),
  "100 searches in texts": () => ({ path: `/reviews?${repeat(100, (at) => `or[${at}][body__icontains]=zz${at}`)}` }),
  "a search of ten words": () => ({ path: `/reviews?search=${"a+e+i+o+u+r+s+t+n+l"}` }),
  "an include of 9,000 rows": () => ({ path: "/products?limit=100&include=reviews&sku__startsWith=P" }),
  "an include of 9,000 rows two relations deep": () => ({
    path: "/products?limit=50&include=reviews.customer&sku__startsWith=P",
  }),
  "a list of 4.4 MB": () => ({ path: "/products?limit=5&sort=-id" }),
  "a list of 35 MB": () => ({ path: "/products?limit=40&sort=-id" }),
  "an include of 4.4 MB": () => ({ path: "/categories?include=products&name=zz3" }),
  "a sort by five relations": () => ({
    path: "/reviews?limit=100&sort=product.category.parent.name,product.category.name,product.name,customer.name,-rating",
  }),
  "a cursor with five sort keys": () => ({
    path: "/reviews?cursor=&limit=100&sort=rating,-title,helpful,-body,createdAt",
  }),
  "500 ids": () => ({ path: `/reviews?limit=100&id__in=${Array.from({ length: 500 }, (_, at) => at + 1).join()}` }),
  "a bulk create of 1,000 rows": () => ({
    method: "POST",
    path: "/tags/many",
    body: newTags(),
  }),
  "a bulk update of 1,000 rows": () => ({
    method: "PATCH",
    path: "/reviews/many",
    body: Array.from({ length: 1_000 }, (_, at) => ({ id: at + 1, helpful: 1 })),
  }),
  "a bulk update whose rows are 35 MB": () => ({
    method: "PATCH",
    path: "/products/many",
    body: Array.from({ length: 40 }, (_, at) => ({ id: longFrom + at, weight: 1 })),
  }),
  "a JSON value of 1 MB": () => ({
    method: "PATCH",
    path: `/products/${longFrom - 1}`,
    body: { attributes: { a: Array.from({ length: 9_900 }, () => "x".repeat(90)) } },
  }),
  "a change of a row of 700 KB under If-Match": () => ({
    method: "PATCH",
    path: `/products/${longFrom}`,
    body: { weight: 2 },
    headers: { "if-match": "*" },
  }),
  "the document": () => ({ path: "/api-docs.json" }),
};

let made = 0;

function newTags(): readonly object[] {
  made += 1_000;
  return Array.from({ length: 1_000 }, (_, at) => ({ name: `t${made + at}` }));
}

/** The id of the first product with a long text. */
let longFrom = 0;

/** A text of 700 KB with characters that JSON escapes. */
const longText = `repeat(E'ab"c\\né', 100000)`;

async function fill({ database }: OpenShop): Promise<void> {
  const sql = (text: string) => database.$executeRawUnsafe(text);
  await sql("INSERT INTO categories (name, slug) SELECT 'zz' || g, 'zz-' || g FROM generate_series(1, 3) g");
  const [{ id: category }] = (await database.$queryRawUnsafe("SELECT max(id) AS id FROM categories")) as [
    { id: number },
  ];
  await sql(
    `INSERT INTO customers (id, email, name) SELECT gen_random_uuid(), 'c' || g || '@x.example', 'c' || g FROM generate_series(1, 90) g`,
  );
  await sql(
    `INSERT INTO products (sku, name, price, category_id, updated_at) SELECT 'P' || g, 'p' || g, 1, ${category - 2}, now() FROM generate_series(1, 100) g`,
  );
  await sql(
    `INSERT INTO reviews (rating, title, body, product_id, customer_id) SELECT 1 + p.id % 5, 'title', repeat('lorem ipsum ', 20), p.id, c.id FROM products p, customers c WHERE p.sku LIKE 'P%' AND c.email LIKE 'c%@x.example' ON CONFLICT DO NOTHING`,
  );
  const [{ id: last }] = (await database.$queryRawUnsafe("SELECT max(id) AS id FROM products")) as [{ id: number }];
  longFrom = last + 1;
  await sql(
    `INSERT INTO products (sku, name, description, price, category_id, updated_at) SELECT 'L' || g, 'l', ${longText}, 1, CASE WHEN g > 5 THEN ${category - 1} ELSE ${category} END, now() FROM generate_series(1, 40) g`,
  );
  await sql("ANALYZE");
}

describe.each(["auto", "prisma"] as const)("with database.engine %s", (engine) => {
  let shop: OpenShop;
  beforeAll(async () => {
    const { PrismaClient } = await import("../../src/generated/prisma/client.js");
    const { models } = await import("../../src/generated/service/models.js");
    shop = await startOpenShop({
      database: {
        client: ({ adapter }) => new PrismaClient({ adapter }),
        models,
        engine,
      },
    });
    await fill(shop);
  });
  afterAll(() => shop?.close());

  it("C59 C88 no expensive request of an anonymous client blocks the event loop or the database", async () => {
    const rows = new Map<string, Cost>();
    const sql: Sql = (text) => shop.database.$queryRawUnsafe(text);
    for (const [name, request] of Object.entries(openRequests)) rows.set(name, await leastCost(shop.url, sql, request));
    print(`Anonymous, ${engine}`, rows);
    for (const [name, { status, delay, database }] of rows) {
      expect.soft(status, name).toBe(/35 MB/.test(name) ? 400 : /create/.test(name) ? 201 : 200);
      // Prisma itself builds its rows in one piece.
      if (engine === "auto") expect.soft(delay, name).toBeLessThan(maxDelay);
      // Text searches read every row: their time grows with the table, and is limited by the time limit of statements.
      expect.soft(database, name).toBeLessThan(/searches/.test(name) ? statementLimit : maxDatabase);
    }
  });
});

/** The limit of 1,000 is meant to be 200 ms. */
const millisecondsPerCost = 0.2;

describe("the cost of a filter", () => {
  let shop: OpenShop;
  let strict: OpenShop;
  beforeAll(async () => {
    shop = await startOpenShop();
    strict = await startOpenShop({ limits: { filterCost: 1 } });
  });
  afterAll(async () => {
    await shop?.close();
    await strict?.close();
  });

  /** Filters whose relations cannot share a join; the conditions match all rows, so that each is read. */
  const filters: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      [10, 15, 20].map((count) => [
        `${count} relations to many`,
        `/products?${repeat(count, (at) => `and[${at}][reviews__rating__gte]=${-at}`)}`,
      ]),
    ),
    ...Object.fromEntries(
      [3, 5].map((count) => [
        `${count} relations to many, each through a relation to one and one to many`,
        `/reviews?${repeat(count, (at) => `and[${at}][product__reviews__customer__name__not]=x${at}`)}`,
      ]),
    ),
  };

  it("C59 a filter takes at most five times as long as its cost predicts, including planning", async () => {
    // Another set of columns is another statement, which is planned again.
    const columns = ["id", "id,createdAt", "createdAt"];
    for (const [name, path] of Object.entries(filters)) {
      const { body } = await strict.call("GET", path);
      const cost = Number(/costs (\d+)/.exec(body.detail)?.[1]);
      const times: number[] = [];
      for (const fields of columns) {
        const began = performance.now();
        const { status } = await shop.call("GET", `${path}&count=false&fields=${fields}`);
        expect(status, name).toBe(200);
        times.push(performance.now() - began);
      }
      const min = Math.min(...times);
      process.stdout.write(`| ${name} | costs ${cost} | ${min.toFixed(1)} ms |\n`);
      expect(min, name).toBeLessThan(5 * cost * millisecondsPerCost);
    }
  });
});

describe("signed in", () => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    const imageQuery = { maxWidth: 3000, maxHeight: 3000, formats: ["avif", "webp"] as const };
    shop = await startAccounts({
      database,
      accounts: "static",
      authentication: { password: { cost: 12 } },
      config: { mcp: {}, fileUpload: { imageQuery } },
    });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  it("C59 no expensive request of a signed-in client blocks the event loop or the database", async () => {
    const authorization = `Bearer ${await shop.tokenOf("root")}`;
    const picture = noise(1600, 1600);
    const form = Buffer.concat([
      Buffer.from(
        '--b\r\ncontent-disposition: form-data; name="images"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n',
      ),
      picture,
      Buffer.from("\r\n--b--\r\n"),
    ]);
    const tool = (name: string, given: object) => ({
      method: "POST",
      path: "/mcp",
      headers: { authorization, accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
    });
    const requests: Readonly<Record<string, () => Sent>> = {
      "a sign-in": () => ({ method: "POST", path: "/auth/login", body: { username: "root", password } }),
      "an image of 1600 × 1600 to AVIF": () => ({
        method: "POST",
        path: "/uploads/images?format=avif&width=1600",
        headers: {
          authorization,
          "content-type": "multipart/form-data; boundary=b",
          "content-length": String(form.length),
        },
        body: form,
      }),
      "MCP: the tools": () => ({ ...tool("", {}), body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }),
      "MCP: a resource described": () => tool("describe_resource", { resource: "products" }),
      "MCP: 100 rows": () => tool("find", { resource: "products", limit: 100 }),
      "a list with includes": () => ({
        path: "/products?limit=100&include=category,tags,images,reviews.customer",
        headers: { authorization },
      }),
      "the document": () => ({ path: "/api-docs.json", headers: { authorization } }),
    };
    const rows = new Map<string, Cost>();
    const sql: Sql = (text) => database.client.$queryRawUnsafe(text);
    for (const [name, request] of Object.entries(requests)) rows.set(name, await leastCost(shop.url, sql, request));
    print("Signed in", rows);
    for (const [name, { status, delay, database: used }] of rows) {
      expect.soft(status, name).toBeLessThan(300);
      expect.soft(delay, name).toBeLessThan(maxDelay);
      expect.soft(used, name).toBeLessThan(maxDatabase);
    }
  });
});
