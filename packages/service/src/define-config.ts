import type { ServiceConfig } from "./config/service-config.js";

/** Gives an editor the type of a configuration file, so that it completes keys and marks those that are not known. */
export function defineConfig(config: ServiceConfig): ServiceConfig {
  return config;
}
