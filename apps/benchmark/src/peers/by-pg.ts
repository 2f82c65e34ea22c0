import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { parse } from "node:querystring";
import { jwtVerify } from "jose";
import pg from "pg";
import { priceQuote, quoteSchema } from "../quotes/quote.js";
import { newProduct } from "../shop/product-schemas.js";
import { tokenKey, welcomeMessage } from "./prisma-handlers.js";

const columns = `id, sku, name, description, status, price, stock, weight, featured, "releasedAt",
  "createdAt", "updatedAt", "categoryId"`;

/** Node's own server and the driver, with prepared statements: the minimum that the measured requests need. */
export function serveByPg(): Server {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  const key = tokenKey();
  const query = async (name: string, text: string, values: unknown[]) =>
    (await pool.query({ name, text, values })).rows;

  const list = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reported = parse(request.url?.split("?")[1] ?? "");
    const [limit, page] = [Number(reported.limit ?? 20), Number(reported.page ?? 1)];
    const filter = [reported.status ?? null, reported["price[gte]"] ?? null, reported["price[lt]"] ?? null];
    const where = `WHERE ($1::text IS NULL OR status = $1::"ProductStatus") AND ($2::numeric IS NULL OR price >= $2)
      AND ($3::numeric IS NULL OR price < $3)`;
    const order = reported.sort === "-price" ? "price DESC, id" : "id";
    const rows = query(
      `list ${order}`,
      `SELECT ${columns} FROM "Product" ${where} ORDER BY ${order} LIMIT $4 OFFSET $5`,
      [...filter, limit, (page - 1) * limit],
    );
    if (reported.include === "category") {
      const found = await rows;
      const ids = [...new Set(found.map(({ categoryId }) => categoryId))];
      const categories = await query("categories", `SELECT id, name FROM "Category" WHERE id = ANY($1)`, [ids]);
      const byId = new Map(categories.map((category) => [category.id, category]));
      const data = found.map((row) => ({ ...row, category: byId.get(row.categoryId) }));
      return send(response, 200, { data, meta: { count: data.length, limit, page } });
    }
    if (reported.count === "false") {
      const data = await rows;
      return send(response, 200, { data, meta: { count: data.length, limit, page } });
    }
    const [data, counted] = await Promise.all([
      rows,
      query("count", `SELECT count(*)::int AS total FROM "Product" ${where}`, filter),
    ]);
    const { total } = counted[0] as { total: number };
    send(response, 200, { data, meta: { total, count: data.length, limit, page, pages: Math.ceil(total / limit) } });
  };

  const read = async (id: number, response: ServerResponse): Promise<void> => {
    const [row] = await query("read", `SELECT ${columns} FROM "Product" WHERE id = $1`, [id]);
    if (row === undefined) send(response, 404, { message: "There is no row with this id." });
    else send(response, 200, { data: row });
  };

  const create = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = newProduct.safeParse(await readBody(request));
    if (!body.success) return send(response, 400, { errors: body.error.issues });
    const { sku, name, description, status, price, stock, weight, featured, releasedAt, categoryId } = body.data;
    const [row] = await query(
      "create",
      `INSERT INTO "Product" (sku, name, description, status, price, stock, weight, featured, "releasedAt", "categoryId",
         "updatedAt") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now()) RETURNING ${columns}`,
      [sku, name, description, status ?? "DRAFT", price, stock ?? 0, weight, featured ?? false, releasedAt, categoryId],
    );
    send(response, 201, { data: row });
  };

  const update = async (id: number, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { stock, price } = (await readBody(request)) as { stock: number; price: string };
    const [row] = await query(
      "update",
      `UPDATE "Product" SET stock = $2, price = $3, "updatedAt" = now() WHERE id = $1 RETURNING ${columns}`,
      [id, stock, price],
    );
    send(response, 200, { data: row });
  };

  const readBranch = async (id: number, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] });
    const [caller] = await query("user", `SELECT "isActive" FROM "User" WHERE id = $1`, [Number(payload.sub)]);
    if (!caller?.isActive) return send(response, 401, { message: "Sign in first." });
    const [row] = await query("branch", `SELECT id, name FROM "Branch" WHERE id = $1`, [id]);
    send(response, 200, { data: row });
  };

  return createServer((request, response) => {
    const { method, url = "" } = request;
    const [, , kind = "", rest = ""] = (url.split("?")[0] ?? "").split("/");
    const id = Number(rest);
    const reply = async (): Promise<void> => {
      if (kind === "") return send(response, 200, { message: welcomeMessage });
      if (kind === "quotes") {
        const body = quoteSchema.parse(await readBody(request));
        return send(response, 200, priceQuote(body));
      }
      if (kind === "branches") return readBranch(id, request, response);
      if (method === "POST") return create(request, response);
      if (method === "PATCH") return update(id, request, response);
      return rest === "" ? list(request, response) : read(id, response);
    };
    reply().catch((error: Error) => send(response, 500, { message: error.message }));
  });
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
