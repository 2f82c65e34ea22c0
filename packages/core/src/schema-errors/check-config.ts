import type { z } from "zod";
import { StartError } from "../errors/start-error.js";
import { findFaults } from "./find-faults.js";

/**
 * Holds a configuration against a Zod schema (contract C38), as {@link findFaults} does.
 *
 * @returns the configuration as the schema gives it, with its defaults
 * @throws {StartError} with every fault
 */
export function checkConfig<Shape extends z.ZodType>(value: unknown, schema: Shape): z.output<Shape> {
  const result = schema.safeParse(value, { jitless: true });
  if (result.success) return result.data;
  throw new StartError(findFaults(value, schema));
}
