import { expect } from "vitest";
import { PrismaClient } from "../../src/generated/prisma/client.js";
import { models } from "../../src/generated/service/models.js";
import { type OpenResponse, type OpenShop, startGuardedShop } from "../open-shop.js";

/** The values of hidden fields in one database, which no response of either contains. */
export const secrets = ["77.1234", "zebra-note", "tok_zebra"];

/**
 * Two shops: one whose callers have roles, with secrets in its hidden fields, and one with stored permissions, and
 * other values there.
 */
export interface TwoDatabases {
  readonly ours: OpenShop;
  readonly theirs: OpenShop;
  /** The number of statements of both databases, without those of authentication. */
  statements(): number;
  /** Sends a request to both shops; their responses must be equal to the byte, and below 500. */
  both(method: string, path: string, body?: unknown): Promise<OpenResponse>;
  /** The same, and the response is 400. */
  rejected(method: string, path: string, body?: unknown): Promise<OpenResponse>;
  close(): Promise<void>;
}

export async function openTwoDatabases(): Promise<TwoDatabases> {
  let statements = 0;
  const count = () => {
    statements += 1;
  };
  const [ours, theirs] = await Promise.all([
    startWorld({ accounts: "static", price: "77.1234", note: "zebra-note", token: "tok_zebra" }, count),
    startWorld({ accounts: "dynamic", price: "NULL", note: "other", token: "x" }, count),
  ]);
  const both: TwoDatabases["both"] = async (method, path, body) => {
    const headers = { "x-request-id": "attack" };
    const [one, other] = await Promise.all([ours, theirs].map((shop) => shop.call(method, path, body, headers)));
    if (one === undefined || other === undefined) throw new Error("No response.");
    const seen = ({ status, text, headers: got }: OpenResponse) => [
      status,
      text,
      ...["etag", "link", "location", "content-length"].map((name) => got.get(name)),
    ];
    expect(seen(one), `${method} ${path}`).toEqual(seen(other));
    expect(one.status, `${method} ${path} ${one.text}`).toBeLessThan(500);
    for (const secret of secrets) expect(one.text.includes(secret) && !path.includes(secret), path).toBe(false);
    return one;
  };
  return {
    ours,
    theirs,
    statements: () => statements,
    both,
    rejected: async (method, path, body) => {
      const response = await both(method, path, body);
      expect(response.status, `${method} ${path} ${response.text}`).toBe(400);
      return response;
    },
    close: async () => {
      await ours.close();
      await theirs.close();
    },
  };
}

interface World {
  readonly accounts: "static" | "dynamic";
  readonly price: string;
  readonly note: string;
  readonly token: string;
}

async function startWorld({ accounts, price, note, token }: World, count: () => void): Promise<OpenShop> {
  const shop = await startGuardedShop(accounts, {
    database: {
      client: ({ adapter }) => {
        const client = new PrismaClient({ adapter, log: [{ emit: "event", level: "query" }] });
        client.$on("query", ({ query }) => {
          // The caller has to be read.
          if (query.includes('"customers"')) count();
        });
        return client;
      },
      models,
    },
    models: {
      Tag: { searchable: [] },
      StockMovement: {
        hidden: ["reason", "quantity", "note"],
        operations: { createOne: false, createMany: false },
      },
    },
  });
  const run = (sql: string) => shop.database.$executeRawUnsafe(sql);
  await run(`UPDATE products SET purchase_price = ${price}, updated_at = '2026-01-01'`);
  await run(`UPDATE customers SET staff_note = '${note}'`);
  await run(`UPDATE payments SET card_token = '${token}'`);
  await run("UPDATE settings SET updated_at = '2026-01-01'");
  return shop;
}
