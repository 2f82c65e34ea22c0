import { PassThrough } from "node:stream";
import { pino } from "pino";
import type { Service } from "../src/assembly/service.js";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import type { RuntimeEnvironment } from "../src/config/settings.js";
import { createService } from "../src/create-service.js";
import { initService, type RunningService } from "../src/init-service.js";

/** No file, no variable and no argument of this machine. */
export const alone: RuntimeEnvironment = {
  directory: import.meta.dirname,
  environment: { NODE_ENV: "test" },
  argv: [],
};

/** Services started by tests, with their log; `closeAll` stops them. */
export function makeStarter() {
  const open: Service[] = [];
  const log = new PassThrough();
  let text = "";
  log.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  const logger = pino({ level: "trace" }, log);
  return {
    create: async (config: ServiceInitConfig = {}, around: RuntimeEnvironment = {}): Promise<Service> => {
      const service = await createService({ logger, ...config }, { ...alone, ...around });
      open.push(service);
      return service;
    },
    init: async (config: ServiceInitConfig = {}, around: RuntimeEnvironment = {}): Promise<RunningService> => {
      const service = await initService({ port: 0, host: "127.0.0.1", logger, ...config }, { ...alone, ...around });
      open.push(service);
      return service;
    },
    /** The log, one value per line. */
    logged: (): Record<string, unknown>[] =>
      text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])),
    logText: (): string => text,
    closeAll: async (): Promise<void> => {
      text = "";
      for (const service of open.splice(0)) await service.close();
    },
  };
}
