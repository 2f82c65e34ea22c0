import { makeDispatcher, makeQueues } from "../../src/index.js";
import { dispatcherParts, makeLog, openDatabase } from "../open-shop.js";

/** Hands changes over to jobs and runs them, until it is killed. */
const [, , url = ""] = process.argv;
const log = makeLog();
const { database, client } = openDatabase(url);
const queues = makeQueues({ url, log, recoverySeconds: 10, pollingSeconds: 0.5 });
queues.define({
  name: "seen",
  ordered: true,
  concurrency: 4,
  retries: { limit: 100, delaySeconds: 0, backoff: false },
  handler: async ({ id, key, changeId }) => {
    await client.$executeRawUnsafe(`INSERT INTO seen (job, key, change) VALUES ('${id}', '${key}', ${changeId})`);
  },
});
const dispatcher = makeDispatcher({
  ...dispatcherParts(database, client),
  ...{ queues, log, intervalMs: 20 },
  consumers: [{ name: "seen", jobsOf: ({ key }) => [{ queue: "seen", key }] }],
});
await queues.open();
await dispatcher.start();
await queues.run();
process.stdout.write("ready\n");
process.on("SIGTERM", async () => {
  await dispatcher.stop();
  await queues.finish(60_000);
  await queues.close();
  await database.disconnect();
});
