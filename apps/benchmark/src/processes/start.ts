import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { reportUsage, serveParent } from "./parent-channel.js";

// Only what the target needs is imported, because that is measured.
const targets: Readonly<Record<string, (example: string) => Promise<Server>>> = {
  express: async (example) => (await import("../start/start-express.js")).startExpress(example),
  service: async (example) => (await import("../start/start-service.js")).startService(example),
  zenstack: async () => (await import("../start/start-zenstack.js")).startZenStack(),
};

const [target = "", example = ""] = process.argv.slice(2);
const start = targets[target];
if (start === undefined) throw new Error(`There is no target "${target}".`);
const server = await start(example);
serveParent((server.address() as AddressInfo).port, reportUsage);
