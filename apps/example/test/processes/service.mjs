// A service in a process of its own: prints where it listens. Its routes do what a careless handler does.
import { setTimeout as wait } from "node:timers/promises";
import service, { ServiceRouter } from "@servicekit/service";

const router = ServiceRouter();
router.get({ path: "/detached" }, (_request, response) => {
  response.json({ data: "answered" });
  wait(20).then(() => {
    throw new Error("rejected after the answer");
  });
});
router.get({ path: "/slow" }, async (_request, response) => {
  await wait(500);
  response.json({ data: "slow" });
});
const { url } = await service.init({ use: [router], port: 0, host: "127.0.0.1" });
console.log(`listening ${url}`);
