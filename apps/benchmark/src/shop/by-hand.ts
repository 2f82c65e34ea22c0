import { createServer, type Server } from "node:http";
import { PrismaPg } from "@prisma/adapter-pg";
import type { Request, Response } from "express";
import { z } from "zod";
import { makeAppByHand } from "../by-hand/make-app-by-hand.js";
import { PrismaClient, ProductStatus } from "../generated/prisma/client.js";
import { pageLinks } from "./page-links.js";

const decimal = z.string().regex(/^\d{1,8}(\.\d{1,2})?$/);

const listQuery = z.strictObject({
  status: z.enum(ProductStatus).optional(),
  price: z.strictObject({ gte: decimal.optional(), lt: decimal.optional() }).optional(),
  sort: z
    .string()
    .regex(/^-?(price|name|stock)$/)
    .optional(),
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

const rowId = z.coerce.number().int().min(1);

const newProduct = z.strictObject({
  sku: z.string().max(40),
  name: z.string().max(120),
  description: z.string().nullable().optional(),
  status: z.enum(ProductStatus).optional(),
  price: decimal,
  stock: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1)
    .optional(),
  weight: z.number().nullable().optional(),
  featured: z.boolean().optional(),
  releasedAt: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  categoryId: z.int().min(1),
});

/** The shop's products as one writes them with Express 5, Prisma 7 and Zod 4. */
export function serveShopByHand(): Server {
  const connectionString = process.env.DATABASE_URL ?? "";
  const { product } = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 10 }) });

  const app = makeAppByHand();
  // The service sends none on these routes either.
  app.disable("etag");

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
    response.json({ data: rows, meta: { total, count: rows.length, limit, page, pages } });
  });

  app.get("/api/products/:id", async (request: Request, response) => {
    const id = rowId.safeParse(request.params.id);
    const row = id.success ? await product.findUnique({ where: { id: id.data } }) : null;
    if (row === null) response.status(404).json({ message: "There is no product with this id." });
    else response.json({ data: row });
  });

  app.post("/api/products", async (request, response) => {
    const body = newProduct.safeParse(request.body);
    if (!body.success) return refuse(response, body.error);
    const row = await product.create({ data: present(body.data) });
    response.status(201).location(`/api/products/${row.id}`).json({ data: row });
  });

  return createServer(app);
}

function refuse(response: Response, { issues }: z.ZodError): void {
  response.status(400).json({ errors: issues });
}

function toOrder(sort: string) {
  const name = sort.replace("-", "");
  const direction = sort.startsWith("-") ? "desc" : "asc";
  return name === "id" ? [{ id: "asc" as const }] : [{ [name]: direction as "asc" | "desc" }, { id: "asc" as const }];
}

/** Without what was left out: Prisma's types tell `undefined` from nothing. */
type Present<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };
const present = <T extends object>(value: T): Present<T> => value as Present<T>;
