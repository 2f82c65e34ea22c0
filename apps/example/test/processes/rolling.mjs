// One of several services behind a proxy: PORT is where it listens, DELAY how long it continues after SIGTERM.
import { setTimeout as wait } from "node:timers/promises";
import service, { ServiceRouter } from "@servicekit/service";

const router = ServiceRouter();
router.get({ path: "/quick" }, (_request, response) => response.json({ data: "quick" }));
router.get({ path: "/slow" }, async (_request, response) => {
  await wait(150);
  response.json({ data: "slow" });
});
router.post({ path: "/body" }, (request, response) => response.json({ data: request.body }));
const { url } = await service.init({
  use: [router],
  host: "127.0.0.1",
  middlewares: { rateLimit: false },
  shutdown: { delay: Number(process.env.DELAY) },
});
console.log(`listening ${url}`);
