import fs from "node:fs";
import path from "node:path";
import { type CreatedDatabase, createDatabase } from "@servicekit/dev-database";
import servicekit, { type RunningService, type ServiceInitConfig } from "@servicekit/service";
import pg from "pg";
import { generateFixtures } from "../../../../scripts/test/generate-fixtures.js";

/** An independent schema with data: a music store, next to the checkout. */
const folder = path.resolve(import.meta.dirname, "../../../../../shared/chinook");
export const hasChinook = fs.existsSync(path.join(folder, "chinook.sql"));
if (!hasChinook) console.warn(`Skipped, for there is no Chinook database at ${path.relative(process.cwd(), folder)}.`);

/** Chinook, loaded into a separate database, generated and served. */
export interface Chinook {
  readonly service: RunningService;
  readonly database: CreatedDatabase;
  /** Queries PostgreSQL directly. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** The Prisma client and the models of Chinook. */
async function generate() {
  const output = path.join(import.meta.dirname, "../generated/chinook");
  fs.mkdirSync(output, { recursive: true });
  const schema = path.join(output, "schema.prisma");
  const generator = 'generator client {\n  provider = "prisma-client"\n  output = "./client"\n}\n';
  const text = `${generator}\n${fs.readFileSync(path.join(folder, "schema.prisma"), "utf8")}`;
  fs.writeFileSync(schema, text);
  await generateFixtures([{ label: "chinook", schema, files: [["schema.prisma", text]], output }]);
  const { PrismaClient } = await import(path.join(output, "client/client.ts"));
  const { models } = await import(path.join(output, "models.ts"));
  return { PrismaClient, models };
}

export async function startChinook(serverUrl: string, config: ServiceInitConfig = {}): Promise<Chinook> {
  const { PrismaClient, models } = await generate();
  const database = await createDatabase(serverUrl);
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // A connection that is still closing when its database is dropped.
  pool.on("error", () => undefined);
  await pool.query(fs.readFileSync(path.join(folder, "chinook.sql"), "utf8"));
  const service = await servicekit.init(
    {
      port: 0,
      host: "127.0.0.1",
      middlewares: { requestLogger: false, rateLimit: { limit: 1_000_000 } },
      database: {
        models,
        client: ({ adapter }) => new PrismaClient({ adapter }),
      },
      ...config,
    },
    { environment: { DATABASE_URL: database.url }, argv: [] },
  );
  return {
    service,
    database,
    sql: async (text) => (await pool.query(text)).rows,
    close: async () => {
      await service.close();
      await pool.end();
      await database.drop();
    },
  };
}
