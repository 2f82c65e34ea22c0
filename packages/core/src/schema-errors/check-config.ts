import type { z } from "zod";
import { StartupError } from "../errors/start-error.js";
import { findIssues } from "./find-issues.js";

/**
 * Validates a configuration against a Zod schema (contract C38), as {@link findIssues} does.
 *
 * @returns the output of the schema, with its defaults
 * @throws {StartupError} with every issue
 */
export function checkConfig<Shape extends z.ZodType>(value: unknown, schema: Shape): z.output<Shape> {
  const result = schema.safeParse(value, { jitless: true });
  if (result.success) return result.data;
  throw new StartupError(findIssues(value, schema));
}
