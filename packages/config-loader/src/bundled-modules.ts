import fs from "node:fs";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { makeStartupIssue } from "@servicekit/core/internal";

/** A user's module inside the bundle of the program that `service build --bundle` writes. */
interface BundledModule {
  /** The content of its file when the bundle was made; for files that the build itself does not write. */
  readonly text?: string;
  readonly load: () => Promise<unknown>;
}

/** The modules that a bundle registers at startup, by their full paths. */
type Bundle = ReadonlyMap<string, BundledModule>;

const place = Symbol.for("@servicekit/bundle");

/**
 * Finds a module in the running bundle. An import from its file would load the packages that it imports a second time,
 * with other classes. So a bundle contains all modules, and any other file is rejected.
 *
 * @returns `undefined` outside a bundle
 * @throws {StartupError} if the file is not in the bundle, or has changed since
 */
export function findBundled(file: string): (() => Promise<unknown>) | undefined {
  const bundle = (globalThis as { [place]?: Bundle })[place];
  if (bundle === undefined) return undefined;
  const bundled = bundle.get(fs.realpathSync(file));
  const isAsItWas = bundled?.text === undefined || bundled.text === fs.readFileSync(file, "utf8");
  if (bundled !== undefined && isAsItWas) return bundled.load;
  const what = bundled === undefined ? "is not in the bundle that runs" : "has changed since the bundle was made";
  const message = `It ${what}. Run npx service build --bundle again.`;
  throw new StartupError([makeStartupIssue({ where: path.basename(file), message })]);
}
