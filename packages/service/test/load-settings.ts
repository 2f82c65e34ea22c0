import { StartupError } from "@servicekit/core";
import { type RuntimeEnvironment, readSettings } from "../src/config/settings.js";
import type { ServiceInitConfig, ServiceSettings } from "../src/index.js";

/**
 * The settings of a service, without assembling it.
 *
 * @throws {StartupError} with all errors of all sources
 */
export async function loadSettings(init: ServiceInitConfig, runtime: RuntimeEnvironment): Promise<ServiceSettings> {
  const { settings, issues } = await readSettings(init, runtime);
  if (issues.length > 0) throw new StartupError(issues);
  return settings;
}
