import fs from "node:fs";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { createDatabase, pushSchema, startDevDatabase } from "@servicekit/service/dev-database";
import { hash } from "bcryptjs";
import { PrismaClient } from "../generated/prisma/client.js";

/** The user of measured sign-ins. */
export const userName = "ada";
export const userPassword = "a harbour closed on windy mondays";

/** The number of rows in the table. */
export const productCount = 4000;

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
    const categories = Array.from({ length: 20 }, (_, index) => ({ name: `Category ${index + 1}` }));
    await client.category.createMany({ data: categories });
    const products = Array.from({ length: productCount }, (_, index) => ({
      sku: `SKU-${String(index + 1).padStart(6, "0")}`,
      name: `Product number ${index + 1}`,
      description: index % 4 === 0 ? null : `The description of product ${index + 1}: it is made to last.`,
      status: (["ACTIVE", "ACTIVE", "DRAFT", "DISCONTINUED"] as const)[index % 4] ?? "DRAFT",
      // Steps without a common factor with the length produce all prices in a seemingly random order.
      price: (((index * 7919) % 50_000) / 100).toFixed(2),
      stock: (index * 31) % 250,
      weight: index % 5 === 0 ? null : ((index * 13) % 400) / 8,
      featured: index % 7 === 0,
      releasedAt: new Date(Date.UTC(2025, index % 12, 1 + (index % 28), 8)),
      categoryId: 1 + (index % 20),
    }));
    await client.product.createMany({ data: products });
    await client.branch.createMany({ data: categories.map(({ name }) => ({ name: `Branch of ${name}` })) });
    await client.user.create({ data: { username: userName, password: await hash(userPassword, 4) } });
    await client.$executeRaw`ANALYZE`;
  } finally {
    await client.$disconnect();
  }
}
