import type { Server } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import service, { type ServiceInitConfig } from "@servicekit/service";

interface Shop {
  makeShopConfig(): ServiceInitConfig;
}

/** The example with all its models and routes, until it listens. */
export async function bootByService(shop: string): Promise<Server> {
  const { makeShopConfig }: Shop = await import(pathToFileURL(path.join(shop, "app.js")).href);
  const { server } = await service.init(
    { ...makeShopConfig(), port: 0, host: "127.0.0.1" },
    { directory: import.meta.dirname },
  );
  return server;
}
