import fs from "node:fs";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { createDatabase, pushSchema, startDevDatabase } from "@servicekit/service/dev-database";
import { hash } from "bcryptjs";
import { PrismaClient } from "../generated/prisma/client.js";
import { categories, makeProducts } from "./shop-rows.js";

/** The user of measured sign-ins. */
export const userName = "ada";
export const userPassword = "a harbour closed on windy mondays";

/**
 * Creates a database with the shop's tables and rows on the server of `DATABASE_URL`, or on an embedded one in `.data/db`,
 * passes it to the work, and drops it.
 */
export async function withShopDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const root = path.join(import.meta.dirname, "..", "..");
  const given = process.env.DATABASE_URL;
  const server = given ? undefined : await startDevDatabase({ directory: path.join(root, ".data", "db") });
  try {
    const database = await createDatabase(given || server?.url || "");
    try {
      await pushSchema(database.url, fs.readFileSync(path.join(root, "prisma", "schema.prisma"), "utf8"));
      await seed(database.url);
      return await work(database.url);
    } finally {
      await database.drop();
    }
  } finally {
    await server?.stop();
  }
}

async function seed(connectionString: string): Promise<void> {
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
  try {
    await client.category.createMany({ data: categories });
    const products = makeProducts().map(({ cents, ...row }) => ({ ...row, price: (cents / 100).toFixed(2) }));
    await client.product.createMany({ data: products });
    await client.branch.createMany({ data: categories.map(({ name }) => ({ name: `Branch of ${name}` })) });
    await client.user.create({ data: { username: userName, password: await hash(userPassword, 4) } });
    await client.$executeRaw`ANALYZE`;
  } finally {
    await client.$disconnect();
  }
}
