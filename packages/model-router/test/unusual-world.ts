import path from "node:path";
import { type Models, readModels, type StoredField } from "@servicekit/prisma";
import { chooseEngine } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { ModelRouterSettings } from "../src/index.js";
import { PrismaClient } from "./generated/unusual/client/client.js";
import { models as data } from "./generated/unusual/models.js";
import { type Served, serveModels } from "./serve-models.js";

export const unusualModels: Models = readModels(data);

export const engines = ["sql", "prisma"] as const;
export type Engine = (typeof engines)[number];

/** One database, served by both engines. */
export interface UnusualWorld {
  readonly served: Readonly<Record<Engine, Served>>;
  /** Queries PostgreSQL directly. */
  sql<Row extends object = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openUnusual(
  serverUrl: string,
  before: readonly string[] = [],
  settings: Partial<ModelRouterSettings> = {},
): Promise<UnusualWorld> {
  const { url, drop } = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures/unusual"));
  const own = new PrismaClient({ adapter: makePostgresAdapter({ url }) });
  for (const statement of before) await own.$executeRawUnsafe(statement);
  const clients = [own];
  const serve = async (engine: Engine): Promise<Served> => {
    const adapter = makePostgresAdapter({ url, timeouts: { poolWaitMs: 20_000, statementMs: 20_000 } });
    const client = new PrismaClient({ adapter });
    clients.push(client);
    await client.$connect();
    const choice = { client, adapter, models: unusualModels, schema: "public" };
    const ways = chooseEngine({ ...choice, engine: engine === "prisma" ? engine : "auto" });
    if ([...ways.engines.values()].some((one) => one.engine !== engine)) throw new Error(`Not on ${engine}.`);
    return serveModels(client, unusualModels, settings, [], {}, ways);
  };
  const served = { sql: await serve("sql"), prisma: await serve("prisma") };
  return {
    served,
    sql: (text, ...values) => own.$queryRawUnsafe(text, ...values),
    close: async () => {
      await Promise.all(engines.map((engine) => served[engine].stop()));
      await Promise.all(clients.map((client) => client.$disconnect()));
      await drop();
    },
  };
}

const moments = [
  "infinity",
  "-infinity",
  "2024-02-29 12:30:00.123456",
  "2024-02-29 12:30:00.123457",
  "2024-02-29 12:30:00",
  "0044-03-15 10:00:00.5 BC",
  "0001-01-01 00:00:00 BC",
  "0001-01-01 00:00:00",
  "10000-01-01 00:00:00",
  "275760-09-12 23:59:59.999",
  "294276-12-31 23:59:58",
  "4713-01-01 00:00:00 BC",
];

/** What another program may have written into each column, as SQL. */
export const unusualValues: Readonly<Record<string, readonly string[]>> = {
  label: ["", " a ", "a,b", 'say "x"', "100%", "null", "\\", "日本🎵", "NaN", "infinity"],
  stamp: moments,
  stamp6: moments,
  zoned3: moments,
  zoned6: moments,
  zoned0: moments,
  day: ["infinity", "-infinity", "0044-03-15 BC", "0001-01-01", "12025-01-01", "5874897-12-31", "2024-02-29"],
  time3: ["00:00:00", "23:59:59.999", "24:00:00"],
  time6: ["12:30:00.123456", "24:00:00", "23:59:59.999999"],
  timez: ["12:30:00.123456+00", "12:30:00+05", "23:00:00-05", "24:00:00+00"],
  double: ["NaN", "Infinity", "-Infinity", "0.1", "1.7976931348623157e308", "5e-324", "-0", "123456789.12345679"],
  single: ["NaN", "Infinity", "-Infinity", "0.1", "3.4028235e38"],
  decimal: ["NaN", "0.000000000000000000000000000001", "12345678901234567890123456789012345.5", "-0.0"],
  plain: ["NaN", "Infinity", "-Infinity", `1${"0".repeat(300)}`, `0.${"0".repeat(200)}1`, "1.500"],
  price: ["NaN", "0.10", "9999999999.99"],
  money: ["-1234567.89", "0", "92233720368547758.07"],
  big: ["9223372036854775807", "-9223372036854775808"],
  small: ["32767", "-32768"],
  json: ["[12345678901234567890, 1.50, 1e400]", '{"a":  1, "b": null}', "null", "0.1234567890123456789", '"x"', "true"],
  jsonb: [
    "[123456789012345678901234567890, 1e400]",
    '{"deep": [{"n": 9007199254740993}]}',
    "null",
    "1e1000",
    '"12345678901234567890"',
  ],
  bytes: ["\\x", "\\x00ff"],
  padded: ["a", "", "ab "],
  varied: ["", " "],
  uuid: ["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"],
  inet: ["10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32"],
  bit: ["000", "101"],
  xml: ["<a/>", "a"],
  mood: ["very calm", "ANGRY"],
  yes: ["true", "false"],
  created__at: ["x", ""],
  ints: ["{}", "{1,NULL,2}", "{{1,2},{3,4}}", "[2:3]={7,8}", "{NULL}"],
  bigs: ["{9223372036854775807,NULL}"],
  texts: ["{a,NULL,b}", '{"NULL","{","a,b"}', "{{a},{b}}"],
  doubles: ["{NaN,Infinity,-Infinity,NULL,0.1}"],
  decimals: ["{NaN,NULL,1.50}"],
  flags: ["{t,NULL,f}"],
  moods: ['{ANGRY,NULL,"very calm"}'],
  stamps: ["{infinity,NULL,2024-02-29 12:30:00.123}"],
  stamps6: ["{-infinity,NULL,2024-02-29 12:30:00.123456+00,0044-03-15 10:00:00+00 BC}"],
  jsons: ['{"[12345678901234567890]",NULL,"null","1"}'],
  blobs: ['{"\\\\x01",NULL,"\\\\x"}'],
  uuids: ["{NULL,00000000-0000-0000-0000-000000000000}"],
};

/** Inserts a row for each value, without the service; returns the ids by column. */
export async function writeUnusual(
  database: UnusualWorld,
  columns: readonly string[] = Object.keys(unusualValues),
): Promise<number[]> {
  const ids: number[] = [];
  for (const column of columns) {
    for (const value of unusualValues[column] ?? []) {
      const [row] = await database.sql<{ id: number }>(
        `INSERT INTO "Thing" ("${column}", span) VALUES ($1, '1 day') RETURNING id`,
        value,
      );
      ids.push(row?.id ?? 0);
    }
  }
  return ids;
}

export const thingField = (name: string): StoredField =>
  unusualModels.get("Thing")?.fieldsByName.get(name) as StoredField;

/** A value of a response as a query contains it. */
export function operandOf(value: unknown): string {
  if (typeof value === "string") return encodeURIComponent(`"${value.replace(/["\\]/g, "\\$&")}"`);
  return encodeURIComponent(String(value));
}
