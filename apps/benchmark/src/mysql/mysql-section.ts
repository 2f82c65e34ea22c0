import { measureProvider } from "../providers/measure-provider.js";
import type { Section } from "../report.js";
import { withMysqlShop } from "./mysql-shop.js";

/** The cost of the service on MariaDB, compared with hand-written Express and Prisma on the same database. */
export async function mysqlSections(): Promise<Section[]> {
  const server = process.env.MYSQL_URL ?? "";
  if (server === "") {
    console.error("Skipped: set MYSQL_URL, such as mysql://root@127.0.0.1:3306.");
    return [];
  }
  return withMysqlShop(server, async (databaseUrl) => [
    await measureProvider({
      title: "MariaDB",
      text: "The shop on MariaDB, compared with hand-written Express and Prisma Client with the MariaDB adapter on the same database. Both serve with the same middleware. The content of all responses is compared before anything is timed. The cost is that of the serving process, without the database.",
      names: ["mysql: service", "mysql: Express"],
      databaseUrl,
    }),
  ]);
}
