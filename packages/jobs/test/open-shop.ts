import path from "node:path";
import { makeChangeLog, makeChangeReader, readChangeModel } from "@servicekit/changes";
import { type Database, makeDatabase, readModels } from "@servicekit/prisma";
import { chooseEngine } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import pg from "pg";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import {
  type ChangeConsumer,
  type Dispatcher,
  type DispatcherOptions,
  type JobLog,
  makeDispatcher,
  makeQueues,
  type Queues,
  type QueuesOptions,
  readPositionModel,
} from "../src/index.js";
import { PrismaClient } from "./generated/shop/client/client.js";
import { models as data } from "./generated/shop/models.js";

export const models = readModels(data);
const changeModel = readChangeModel(models);
if (changeModel === undefined) throw new Error("The schema has the model Change.");
const changes = changeModel;

/** A line of the log: the level and the message. */
export interface Logged {
  readonly level: "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export function makeLog(): JobLog & { readonly lines: Logged[] } {
  const lines: Logged[] = [];
  const write = (level: Logged["level"]) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Logged["fields"], message });
  return { lines, info: write("info"), warn: write("warn"), error: write("error") };
}

/** A database whose customers are recorded, and queues in it. */
export interface Shop {
  readonly url: string;
  readonly database: Database;
  readonly client: PrismaClient;
  readonly log: ReturnType<typeof makeLog>;
  queues(options?: Partial<QueuesOptions>): Queues;
  dispatcher(queues: Queues, consumers: readonly ChangeConsumer[], options?: Partial<DispatcherOptions>): Dispatcher;
  sql(statement: string): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function openShop(serverUrl: string): Promise<Shop> {
  const schema = path.join(import.meta.dirname, "fixtures/shop/schema.prisma");
  const { url, drop } = await createPushedDatabase(serverUrl, schema);
  const { database, client } = openDatabase(url);
  const log = makeLog();
  const queues: Queues[] = [];
  const dispatchers: Dispatcher[] = [];
  const connection = new pg.Client({ connectionString: url });
  await connection.connect();
  return {
    ...{ url, database, client, log },
    queues: (options = {}) => {
      const made = makeQueues({ url, log, pollingSeconds: 0.5, ...options });
      queues.push(made);
      return made;
    },
    dispatcher: (queues, consumers, options = {}) => {
      const dispatcher = makeDispatcher({ ...dispatcherParts(database, client), queues, consumers, log, ...options });
      dispatchers.push(dispatcher);
      return dispatcher;
    },
    sql: async (statement) => [await connection.query(statement)].flat().at(-1)?.rows ?? [],
    close: async () => {
      for (const dispatcher of dispatchers) await dispatcher.stop();
      for (const opened of queues) await opened.close(1_000);
      await connection.end();
      await database.disconnect();
      await drop();
    },
  };
}

/** Opens the database of a shop. */
export function openDatabase(url: string): { readonly database: Database; readonly client: PrismaClient } {
  // Only for tests that hang: a busy machine never reaches it.
  const adapter = makePostgresAdapter({ url, timeouts: { poolWaitMs: 120_000, statementMs: 120_000 } });
  const client = new PrismaClient({ adapter });
  const chosen = chooseEngine({ client, adapter, models, schema: "public", engine: "auto" });
  const recorded = makeChangeLog({
    model: changes,
    recorded: new Set(["Customer"]),
    origin: () => ({ actor: "system" }),
  });
  const { connections } = adapter;
  const database = makeDatabase({ client, models, schema: "public", connections, ...chosen, changes: recorded });
  return { database, client };
}

/** What a dispatcher reads and writes. */
export const dispatcherParts = (database: Database, client: PrismaClient) => ({
  ...{ database, changes },
  positions: readPositionModel(models, "test"),
  reader: makeChangeReader({ database, client, model: changes }),
});
