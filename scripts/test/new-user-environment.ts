import os from "node:os";
import path from "node:path";

/**
 * The environment of a new user: nothing of this repository, of its tests or of the npm that runs them. What npm has
 * downloaded is shared, because downloading it again takes most of the time of an installation.
 */
export function newUserEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(npm_|DATABASE_URL|NODE_ENV|VITEST|JWT_|SERVICEKIT_|FORCE_COLOR|PORT$|TEST$|CI$|GITHUB_)/i;
  const stored = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const downloads = { npm_config_cache: path.join(os.homedir(), ".npm"), npm_config_prefer_offline: "true" };
  return { ...Object.fromEntries(stored), NO_COLOR: "1", ...downloads, ...more };
}

/** The variables of a user whose npm has downloaded nothing. */
export const emptyCache = (home: string): NodeJS.ProcessEnv => ({
  npm_config_cache: path.join(home, ".npm"),
  npm_config_prefer_offline: "false",
});
