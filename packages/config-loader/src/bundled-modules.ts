import fs from "node:fs";
import path from "node:path";
import { StartError } from "@servicekit/core";
import { makeStartFault } from "@servicekit/core/internal";

/** A module of a user's that lies in the bundle of the program, as `service build --bundle` writes it. */
interface BundledModule {
  /** What its file said when the bundle was made; for a file that the build itself does not write. */
  readonly text?: string;
  readonly load: () => Promise<unknown>;
}

/** What a bundle says when it starts: its modules by their whole paths. */
type Bundle = ReadonlyMap<string, BundledModule>;

const place = Symbol.for("@servicekit/bundle");

/**
 * Finds a module in the bundle that runs. Imported from its file it would bring the packages that it imports a second time, whose
 * classes are others: so a bundle has all of them, and anything else is refused.
 *
 * @returns `undefined` where no bundle runs
 * @throws {StartError} where the file is not in the bundle, or has changed since
 */
export function findBundled(file: string): (() => Promise<unknown>) | undefined {
  const bundle = (globalThis as { [place]?: Bundle })[place];
  if (bundle === undefined) return undefined;
  const bundled = bundle.get(fs.realpathSync(file));
  const isAsItWas = bundled?.text === undefined || bundled.text === fs.readFileSync(file, "utf8");
  if (bundled !== undefined && isAsItWas) return bundled.load;
  const what = bundled === undefined ? "is not in the bundle that runs" : "has changed since the bundle was made";
  const message = `It ${what}: make it again with service build --bundle.`;
  throw new StartError([makeStartFault({ where: path.basename(file), message })]);
}
