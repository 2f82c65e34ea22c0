import type { Server } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import service, { type ServiceInitConfig } from "@servicekit/service";

interface Example {
  makeShopConfig(): ServiceInitConfig;
}

/** The example with all its models and routes, until it listens. */
export async function startService(example: string): Promise<Server> {
  const { makeShopConfig }: Example = await import(pathToFileURL(path.join(example, "dist", "app.js")).href);
  const { server } = await service.init(
    { ...makeShopConfig(), port: 0, host: "127.0.0.1" },
    { directory: import.meta.dirname },
  );
  return server;
}
