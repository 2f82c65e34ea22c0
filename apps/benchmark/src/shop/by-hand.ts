import { createServer, type Server } from "node:http";
import { PrismaPg } from "@prisma/adapter-pg";
import type { Request, Response } from "express";
import type { z } from "zod";
import { makeAppByHand } from "../by-hand/make-app-by-hand.js";
import { PrismaClient } from "../generated/prisma/client.js";
import { pageLinks } from "./page-links.js";
import { listQuery, newProduct, present, rowId, shown, toOrder } from "./product-schemas.js";

/** The shop's products as one writes them with Express 5, Prisma 7 and Zod 4. */
export function serveShopByHand(): Server {
  const connectionString = process.env.DATABASE_URL ?? "";
  const { product } = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 10 }) });

  const app = makeAppByHand();

  app.get("/api/products", async (request, response) => {
    const query = listQuery.safeParse(request.query);
    if (!query.success) return refuse(response, query.error);
    const { status, price, sort = "id", page, limit } = query.data;
    const where = { ...(status && { status }), ...(price && { price: present(price) }) };
    const [rows, total] = await Promise.all([
      product.findMany({ where, orderBy: toOrder(sort), take: limit, skip: (page - 1) * limit }),
      product.count({ where }),
    ]);
    const pages = Math.ceil(total / limit);
    response.set("Link", pageLinks(request.originalUrl, page, pages));
    response.json({ data: rows.map(shown), meta: { total, count: rows.length, limit, page, pages } });
  });

  app.get("/api/products/:id", async (request: Request, response) => {
    const id = rowId.safeParse(request.params.id);
    const row = id.success ? await product.findUnique({ where: { id: id.data } }) : null;
    if (row === null) response.status(404).json({ message: "There is no product with this id." });
    else response.json({ data: shown(row) });
  });

  app.post("/api/products", async (request, response) => {
    const body = newProduct.safeParse(request.body);
    if (!body.success) return refuse(response, body.error);
    const row = await product.create({ data: present(body.data) });
    response
      .status(201)
      .location(`/api/products/${row.id}`)
      .json({ data: shown(row) });
  });

  return createServer(app);
}

function refuse(response: Response, { issues }: z.ZodError): void {
  response.status(400).json({ errors: issues });
}
