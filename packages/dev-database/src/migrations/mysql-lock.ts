import { onMysql } from "./on-mysql.js";

/** The lock of `prisma migrate`, one for all databases of a server. */
const lockName = "prisma_migrate";

/** Seconds of one wait: a longer one may exceed a limit of the server. */
const wait = 60;

/**
 * Runs the work under the lock of Prisma's command line, and waits for it without a limit. The server releases the lock of
 * a process that ends.
 *
 * @param onWait called if another process has the lock
 */
export function withMysqlLock<T>(url: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  return onMysql(url, async ({ query }) => {
    const take = async (seconds: number): Promise<boolean> => {
      const [row] = await query<{ readonly taken: unknown }>("SELECT GET_LOCK(?, ?) AS taken", [lockName, seconds]);
      return Number(row?.taken) === 1;
    };
    if (!(await take(0))) {
      onWait?.();
      while (!(await take(wait)));
    }
    return await work();
  });
}
