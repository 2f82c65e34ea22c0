import type { Server } from "node:http";
import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { PrismaClient } from "../generated/mysql/prisma/client.js";
import { type ProductRows, serveProducts } from "../providers/serve-products.js";

/** The same routes in hand-written Express with Prisma on MySQL or MariaDB. */
export function serveMysqlByExpress(): Server {
  const { product } = new PrismaClient({ adapter: new PrismaMariaDb(process.env.DATABASE_URL ?? "") });
  // The clients of both providers have the same methods, with types of their own.
  return serveProducts(product as unknown as ProductRows);
}
