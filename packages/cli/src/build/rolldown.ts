import { type OptionalPackages, whenMissing } from "@servicekit/core/internal";

/** The bundler. */
export type Rolldown = typeof import("rolldown") & typeof import("rolldown/utils");

const where = "service build --bundle";
const packages: OptionalPackages = { names: ["rolldown"], purpose: "A bundle", development: true };

/**
 * Loads rolldown, an optional dependency.
 *
 * @throws {StartupError} with the install command if it is not installed
 */
export async function loadRolldown(): Promise<Rolldown> {
  return {
    ...(await import("rolldown").catch(whenMissing(where, packages))),
    ...(await import("rolldown/utils").catch(whenMissing(where, packages))),
  };
}
