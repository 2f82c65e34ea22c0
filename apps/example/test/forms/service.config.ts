// The complete shop in a file, for service.init() without arguments.
import type { ServiceConfig } from "@servicekit/service";
import shop from "../../service.config.js";
import { makeShopConfig } from "../../src/app.js";

const { database, use } = makeShopConfig();

export default { ...shop, database, routers: { additional: use } } satisfies ServiceConfig;
