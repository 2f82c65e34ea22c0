import type { ServiceConfig } from "./config/service-config.js";

/** Types a configuration file, so that an editor completes keys and marks unknown ones. */
export function defineConfig(config: ServiceConfig): ServiceConfig {
  return config;
}
