// A service in a separate process: prints its URL. Its routes contain the mistakes of careless handlers.
import { createReadStream } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import service, { ServiceRouter } from "@servicekit/service";

const router = ServiceRouter();
router.get({ path: "/detached" }, (_request, response) => {
  response.json({ data: "sent" });
  wait(20).then(() => {
    throw new Error("rejected after the response");
  });
});
router.get({ path: "/throws-later" }, (_request, response) => {
  response.json({ data: "sent" });
  setTimeout(() => {
    throw new Error("thrown in a timer");
  }, 20);
});
router.get({ path: "/exits" }, (_request, response) => {
  response.json({ data: "sent" });
  setTimeout(() => process.exit(3), 20);
});
router.get({ path: "/bad-pipe" }, (_request, response) => {
  createReadStream("/nowhere/at-all").pipe(response);
});
router.get({ path: "/slow" }, async ({ query }, response) => {
  console.log("begun");
  await wait(Number(query.milliseconds ?? 500));
  response.json({ data: "slow" });
});
router.post({ path: "/body" }, (request, response) => response.json({ data: request.body }));
router.get({ path: "/hangs" }, () => undefined);
router.get({ path: "/writes-late" }, async (_request, response) => {
  await wait(1_000);
  for (const text of ["a", "b"]) response.write(text);
  response.end();
});
router.get({ path: "/endless" }, (_request, response) => {
  const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
  response.on("close", () => clearInterval(timer));
});
const { DELAY: delay = 0, DRAIN: drain, REQUEST_TIME: request } = process.env;
// Another service of the same process, without pending work.
if (process.env.TWO !== undefined) await service.init({ port: 0, host: "127.0.0.1" });
const { url } = await service.init({
  use: [router],
  port: 0,
  host: "127.0.0.1",
  shutdown: { delay: Number(delay), ...(drain === undefined ? {} : { drain: Number(drain) }) },
  timeouts: request === undefined ? {} : { request: Number(request) },
});
console.log(`listening ${url}`);
