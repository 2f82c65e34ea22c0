import type { ServiceInitConfig } from "./config/service-config.js";

/** Gives an editor the type of a configuration; it returns what it is given. */
export function defineConfig<const Config extends ServiceInitConfig>(config: Config): Config {
  return config;
}
