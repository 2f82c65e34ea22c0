/** The environment of a new user: nothing of this repository, of its tests or of the npm that runs them. */
export function newUserEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(npm_|DATABASE_URL|NODE_ENV|VITEST|JWT_|SERVICEKIT_|FORCE_COLOR|PORT$|TEST$|CI$|GITHUB_)/i;
  const stored = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(stored), NO_COLOR: "1", ...more };
}
