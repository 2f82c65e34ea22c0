import { setFlagsFromString } from "node:v8";

/**
 * Tells V8 not to take objects for lasting before they have lasted. By what it saw while a process started, it allocates what some
 * places in the code make among old objects at once, and each of these holds all of its request until the old ones are
 * collected: in every third process the collector then copied most of what requests had left behind. See decision 0017.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
