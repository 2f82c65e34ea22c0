// The shop without accounts, with rate-limited routes. SERVICE_WORKERS is the number of processes.
import { fileURLToPath } from "node:url";
import service, { ServiceRouter } from "@servicekit/service";
import { makeShopConfig } from "../../dist/app.js";

const limited = ServiceRouter();
limited.get({ path: "/limited", rateLimit: { windowMs: 600_000, max: 20 } }, (_request, response) =>
  response.json({ data: "limited" }),
);
limited.get({ path: "/limited/more", rateLimit: { windowMs: 600_000, max: 500 } }, (_request, response) =>
  response.json({ data: "limited" }),
);
const shop = makeShopConfig();
await service.init(
  {
    ...shop,
    use: [...shop.use, limited],
    middlewares: { rateLimit: { limit: 1_000_000 }, requestLogger: false },
  },
  { directory: fileURLToPath(new URL("../..", import.meta.url)) },
);
