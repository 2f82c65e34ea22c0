import { createServer, type Server } from "node:http";
import { z } from "zod";
import { type PrismaClient, ProductStatus } from "../generated/sqlite/prisma/client.js";
import { makeHandWrittenApp } from "../hand-written/make-hand-written-app.js";
import { pageLinks } from "../shop/page-links.js";
import { listQuery, newProduct, present, rowId, toOrder } from "../shop/product-schemas.js";

const cents = z.coerce.number().int();
const list = listQuery.extend({
  status: z.enum(ProductStatus).optional(),
  price: z.strictObject({ gte: cents.optional(), lt: cents.optional() }).optional(),
});
const created = newProduct.extend({ status: z.enum(ProductStatus).optional(), price: z.int() });
const changed = created.partial();

/** The rows of products, as Prisma Client offers them. */
export type ProductRows = Pick<PrismaClient["product"], "findMany" | "count" | "findUnique" | "create" | "update">;

/** The routes of products in hand-written Express with Prisma. */
export function serveProducts(product: ProductRows): Server {
  const app = makeHandWrittenApp();
  app.get("/api/products", async (request, response) => {
    const read = list.safeParse(request.query);
    if (!read.success) return void response.status(400).json({ errors: read.error.issues });
    const { status, price, sort = "id", page, limit } = read.data;
    const where = { ...(status && { status }), ...(price && { price: present(price) }) };
    const [data, total] = await Promise.all([
      product.findMany({ where, orderBy: toOrder(sort), take: limit, skip: (page - 1) * limit }),
      product.count({ where }),
    ]);
    const pages = Math.ceil(total / limit);
    response.set("Link", pageLinks(request.originalUrl, page, pages));
    response.json({ data, meta: { total, count: data.length, limit, page, pages } });
  });
  app.get("/api/products/:id", async (request, response) => {
    const id = rowId.safeParse(request.params.id);
    const data = id.success ? await product.findUnique({ where: { id: id.data } }) : null;
    if (data === null) return void response.status(404).json({ message: "There is no row with this id." });
    response.json({ data });
  });
  app.post("/api/products", async (request, response) => {
    const read = created.safeParse(request.body);
    if (!read.success) return void response.status(400).json({ errors: read.error.issues });
    const data = await product.create({ data: present(read.data) });
    response.status(201).set("Location", `/api/products/${data.id}`).json({ data });
  });
  app.patch("/api/products/:id", async (request, response) => {
    const id = rowId.safeParse(request.params.id);
    const read = changed.safeParse(request.body);
    if (!id.success || !read.success) return void response.status(400).json({});
    response.json({ data: await product.update({ where: { id: id.data }, data: present(read.data) }) });
  });
  return createServer(app);
}
