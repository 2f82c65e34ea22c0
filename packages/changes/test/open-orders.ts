import path from "node:path";
import { type Connections, type Database, type Models, makeDatabase, readModels } from "@servicekit/prisma";
import { chooseEngine } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import {
  type ChangeOrigin,
  type ChangeReader,
  makeChangeLog,
  makeChangeReader,
  readChangeModel,
} from "../src/index.js";
import { PrismaClient } from "./generated/orders/client/client.js";
import { models as data } from "./generated/orders/models.js";

/** A database whose customers, orders, lines and payments are recorded. */
export interface Orders {
  readonly url: string;
  readonly models: Models;
  /** One for each engine. */
  open(engine: "auto" | "prisma", options?: OpenOptions): Promise<OpenOrders>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** @default 10 */
  readonly poolSize?: number;
  /** Another way to the same database. */
  readonly url?: string;
  readonly onCommit?: () => void;
  /** The recorded models. @default all but `Change` */
  readonly recorded?: readonly string[];
}

const all = ["Customer", "Order", "Line", "Payment", "Kind", "Area"];

export interface OpenOrders {
  readonly database: Database;
  readonly client: PrismaClient;
  readonly connections: Connections;
  readonly reader: () => ChangeReader;
}

export async function openOrders(serverUrl: string, origin: () => ChangeOrigin): Promise<Orders> {
  const schema = path.join(import.meta.dirname, "fixtures/orders/schema.prisma");
  const { url, drop } = await createPushedDatabase(serverUrl, schema);
  const models = readModels(data);
  const model = readChangeModel(models);
  if (model === undefined) throw new Error("The schema has the model Change.");
  const opened: Database[] = [];
  return {
    url,
    models,
    async open(engine, { poolSize = 10, url: own = url, onCommit, recorded = all } = {}) {
      // Only for tests that hang: a busy machine never reaches it.
      const timeouts = { poolWaitMs: 120_000, statementMs: 120_000 };
      const adapter = makePostgresAdapter({ url: own, poolSize, timeouts });
      const client = new PrismaClient({ adapter });
      const chosen = chooseEngine({ client, adapter, models, schema: "public", engine });
      const changes = makeChangeLog({
        model,
        recorded: new Set(recorded),
        origin,
        ...(onCommit && { onCommit }),
      });
      const { connections } = adapter;
      const database = makeDatabase({ client, models, schema: "public", connections, ...chosen, changes });
      opened.push(database);
      await database.ping();
      return { database, client, connections, reader: () => makeChangeReader({ database, client, model }) };
    },
    close: async () => {
      for (const database of opened) await database.disconnect();
      await drop();
    },
  };
}
