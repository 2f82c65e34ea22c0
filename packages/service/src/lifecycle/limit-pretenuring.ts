import { setFlagsFromString } from "node:v8";

/**
 * Disables V8's pretenuring. By what it observed during startup, V8 allocates the objects of some places directly in
 * the old generation, and each of them retains all objects of its request until a major collection: in every third
 * process the collector then copied most of what requests had left behind. See decision 0017.
 */
export function limitPretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
