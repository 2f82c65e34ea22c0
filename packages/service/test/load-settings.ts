import { StartError } from "@servicekit/core";
import { readSettings, type Surroundings } from "../src/config/settings.js";
import type { ServiceInitConfig, ServiceSettings } from "../src/index.js";

/**
 * The settings of a service, without assembling it.
 *
 * @throws {StartError} with all errors of all sources
 */
export async function loadSettings(init: ServiceInitConfig, surroundings: Surroundings): Promise<ServiceSettings> {
  const { settings, faults } = await readSettings(init, surroundings);
  if (faults.length > 0) throw new StartError(faults);
  return settings;
}
