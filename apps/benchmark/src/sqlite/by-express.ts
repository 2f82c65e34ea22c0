import type { Server } from "node:http";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { PrismaClient } from "../generated/sqlite/prisma/client.js";
import { serveProducts } from "../providers/serve-products.js";

/** The same routes in hand-written Express with Prisma on SQLite. */
export function serveSqliteByExpress(): Server {
  const adapter = new PrismaLibSql({ url: process.env.DATABASE_URL ?? "" });
  return serveProducts(new PrismaClient({ adapter }).product);
}
