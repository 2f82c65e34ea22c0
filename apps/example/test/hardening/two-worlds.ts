import { expect } from "vitest";
import { PrismaClient } from "../../src/generated/prisma/client.js";
import { models } from "../../src/generated/service/models.js";
import { type OpenAnswer, type OpenShop, startGuardedShop } from "../open-shop.js";

/** What stands in hidden fields of one of the worlds, and in no answer of either. */
export const secrets = ["77.1234", "zebra-note", "tok_zebra"];

/**
 * Two shops: one whose callers have roles, with secrets in its hidden fields, and one with stored permissions, and other
 * values there.
 */
export interface TwoWorlds {
  readonly ours: OpenShop;
  readonly theirs: OpenShop;
  /** How many statements both have sent to their databases, but those that ask who the caller is. */
  statements(): number;
  /** Asks both shops; their answers must be alike to the byte, and below 500. */
  both(method: string, path: string, body?: unknown): Promise<OpenAnswer>;
  /** The same, and the answer is 400. */
  refused(method: string, path: string, body?: unknown): Promise<OpenAnswer>;
  close(): Promise<void>;
}

export async function openTwoWorlds(): Promise<TwoWorlds> {
  let statements = 0;
  const count = () => {
    statements += 1;
  };
  const [ours, theirs] = await Promise.all([
    startWorld({ accounts: "static", price: "77.1234", note: "zebra-note", token: "tok_zebra" }, count),
    startWorld({ accounts: "dynamic", price: "NULL", note: "other", token: "x" }, count),
  ]);
  const both: TwoWorlds["both"] = async (method, path, body) => {
    const headers = { "x-request-id": "attack" };
    const [one, other] = await Promise.all([ours, theirs].map((shop) => shop.call(method, path, body, headers)));
    if (one === undefined || other === undefined) throw new Error("No answer.");
    const seen = ({ status, text, headers: got }: OpenAnswer) => [
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
    refused: async (method, path, body) => {
      const answer = await both(method, path, body);
      expect(answer.status, `${method} ${path} ${answer.text}`).toBe(400);
      return answer;
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
          // Who the caller is has to be read.
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
