import type { Notification, Pool } from "pg";
import { quoteName } from "../models/quote-name.js";

/**
 * Listens to a channel with the only connection of a pool.
 *
 * @returns closes the pool
 */
export async function listen(
  pool: Pool,
  channel: string,
  receive: (payload: string) => void,
  onEnd: () => void,
): Promise<() => Promise<void>> {
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    client.release(true);
    await pool.end();
  };
  const client = await pool.connect().catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const end = (): void => {
    if (isClosed) return;
    void close().catch(() => undefined);
    onEnd();
  };
  client.on("notification", ({ payload }: Notification) => receive(payload ?? ""));
  client.on("error", end);
  client.on("end", end);
  try {
    await client.query(`LISTEN ${quoteName(channel)}`);
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}
