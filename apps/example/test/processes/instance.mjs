// One instance of the shop with accounts, as a deployment starts it: configured by its environment only.
import { fileURLToPath } from "node:url";
import service, { ServiceRouter } from "@servicekit/service";
import { readAccounts } from "../../dist/accounts/accounts.js";
import { makeShopConfig } from "../../dist/app.js";

const { REDIS_URL: url, S3_ENDPOINT: endpoint, DELAY, ...environment } = process.env;
const limited = ServiceRouter();
limited.get({ path: "/limited", rateLimit: { windowMs: 600_000, max: 20 } }, (_request, response) =>
  response.json({ data: "limited" }),
);
const shop = makeShopConfig(readAccounts("static"));
const { url: at } = await service.init(
  {
    ...shop,
    use: [...shop.use, limited],
    authentication: { ...shop.authentication, rateLimit: { windowMs: 600_000, limit: 1_000_000 } },
    ...(endpoint === undefined
      ? {}
      : {
          fileUpload: {
            storage: {
              type: "s3",
              bucket: "files",
              endpoint,
              credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
            },
          },
        }),
    ...(url === undefined ? {} : { redis: { url } }),
    middlewares: { rateLimit: { limit: 1_000_000 }, requestLogger: false },
    shutdown: { delay: Number(DELAY ?? 0) },
  },
  { directory: fileURLToPath(new URL("../..", import.meta.url)), environment: { NODE_ENV: "test", ...environment } },
);
console.log(`listening ${at}`);
