import { measureProvider } from "../providers/measure-provider.js";
import type { Section } from "../report.js";
import { withSqliteShop } from "./sqlite-shop.js";

/** The cost of the service on SQLite, compared with hand-written Express and Prisma on the same file. */
export function sqliteSections(): Promise<Section[]> {
  return withSqliteShop(async (databaseUrl) => [
    await measureProvider({
      title: "SQLite",
      text: "The shop on SQLite, compared with hand-written Express and Prisma Client with the libSQL adapter on the same file. Both serve with the same middleware. The content of all responses is compared before anything is timed. libSQL runs in the process, so the cost includes that of the database.",
      names: ["sqlite: service", "sqlite: Express"],
      databaseUrl,
    }),
  ]);
}
