import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";
import { createSqliteAdapter } from "./sqlite-adapter.js";

/** Queries an SQLite file outside the schema engine. */
export async function onSqlite<T>(url: string, work: (adapter: SqlDriverAdapter) => Promise<T>): Promise<T> {
  const { factory, dispose } = await createSqliteAdapter(url);
  try {
    return await work(await factory.connect());
  } finally {
    await dispose();
  }
}
