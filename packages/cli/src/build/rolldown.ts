import { type OptionalPackages, whenMissing } from "@servicekit/core/internal";

/** What bundles are made with. */
export type Rolldown = typeof import("rolldown") & typeof import("rolldown/utils");

const where = "service build --bundle";
const packages: OptionalPackages = { names: ["rolldown"], purpose: "A bundle", development: true };

/**
 * Loads rolldown, which only those install who bundle.
 *
 * @throws {StartError} that names the command where it is not installed
 */
export async function loadRolldown(): Promise<Rolldown> {
  return {
    ...(await import("rolldown").catch(whenMissing(where, packages))),
    ...(await import("rolldown/utils").catch(whenMissing(where, packages))),
  };
}
