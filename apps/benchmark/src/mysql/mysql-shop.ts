import { randomBytes } from "node:crypto";
import path from "node:path";
import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { applyMigrations } from "@servicekit/service/dev-database";
import { PrismaClient } from "../generated/mysql/prisma/client.js";
import { categories, makeProducts } from "../shop/shop-rows.js";

/**
 * Creates a database with the shop's tables and rows on a server of MySQL or MariaDB, passes its URL to the work, and
 * drops it.
 *
 * @param server the URL of the server, without a database
 */
export async function withMysqlShop<T>(server: string, work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const name = `benchmark_${randomBytes(6).toString("hex")}`;
  const admin = await new PrismaMariaDb(`${server}/information_schema`).connect();
  try {
    await admin.underlyingDriver().query(`CREATE DATABASE ${name}`);
    const url = `${server}/${name}`;
    await applyMigrations(url, path.join(import.meta.dirname, "..", "..", "prisma", "mysql"));
    await seed(url);
    return await work(url);
  } finally {
    await admin.underlyingDriver().query(`DROP DATABASE IF EXISTS ${name}`);
    await admin.dispose();
  }
}

async function seed(url: string): Promise<void> {
  const client = new PrismaClient({ adapter: new PrismaMariaDb(url) });
  try {
    await client.category.createMany({ data: categories });
    const products = makeProducts().map(({ cents: price, ...row }) => ({ ...row, price }));
    await client.product.createMany({ data: products });
    await client.$queryRaw`ANALYZE TABLE Product`;
  } finally {
    await client.$disconnect();
  }
}
