// The built shop, which prints its memory while it exports.
import service from "@servicekit/service";
import { makeShopConfig } from "../../dist/app.js";

const { server } = await service.create(
  {
    ...makeShopConfig(),
    limits: { exportRows: 2_000_000 },
    middlewares: { requestLogger: false, rateLimit: false },
    logLevel: "error",
  },
  { directory: new URL("../..", import.meta.url).pathname, environment: { DATABASE_URL: process.env.DATABASE_URL } },
);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
console.log(`listening http://127.0.0.1:${server.address().port}`);
setInterval(() => {
  const { rss, heapUsed, external } = process.memoryUsage();
  console.log(`memory ${JSON.stringify({ rss, heapUsed, external })}`);
}, 100);
