import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { pushSchema } from "@servicekit/service/dev-database";
import { PrismaClient } from "../generated/sqlite/prisma/client.js";
import { categories, makeProducts } from "../shop/shop-rows.js";

/** Creates an SQLite file with the shop's tables and rows, passes its URL to the work, and deletes it. */
export async function withSqliteShop<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-benchmark-"));
  const url = `file:${path.join(folder, "shop.db")}`;
  try {
    const schema = path.join(import.meta.dirname, "..", "..", "prisma", "sqlite.prisma");
    await pushSchema(url, fs.readFileSync(schema, "utf8"));
    await seed(url);
    return await work(url);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function seed(url: string): Promise<void> {
  const client = new PrismaClient({ adapter: new PrismaLibSql({ url }) });
  try {
    await client.$queryRaw`PRAGMA journal_mode = WAL`;
    await client.category.createMany({ data: categories });
    const products = makeProducts().map(({ cents: price, ...row }) => ({ ...row, price }));
    await client.product.createMany({ data: products });
    await client.$executeRaw`ANALYZE`;
  } finally {
    await client.$disconnect();
  }
}
