import type { Database } from "@servicekit/prisma";

/** Runs the work in a transaction that is rolled back, with the errors that the work has. */
export async function rollBack(database: Database, work: (database: Database) => Promise<void>): Promise<void> {
  let isDone = false;
  try {
    await database.transaction(async (transaction) => {
      isDone = false;
      await work(transaction);
      isDone = true;
      throw new Error("The transaction of a dry run is rolled back.");
    });
  } catch (error) {
    if (!isDone) throw error;
  }
}
