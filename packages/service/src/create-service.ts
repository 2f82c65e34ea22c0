import { assembleService } from "./assembly/assemble-service.js";
import type { Service } from "./assembly/service.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { type RuntimeEnvironment, readSettings } from "./config/settings.js";

/**
 * Assembles a service without listening: for tests, and for hosts that listen themselves.
 *
 * @throws {StartupError} with all errors of the configuration, the models and the declared routes
 */
export async function createService(init: ServiceInitConfig = {}, runtime: RuntimeEnvironment = {}): Promise<Service> {
  const { service } = await assembleService(await readSettings(init, runtime));
  return service;
}
