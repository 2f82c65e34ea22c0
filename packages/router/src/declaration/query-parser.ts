import { z } from "zod";
import type { ShapeOf } from "./option-values.js";

/** The parts of the query syntax that are read (contract C19); each is on by default. */
export interface QueryParserConfig {
  readonly parseDoubleUnderscore?: boolean;
  readonly parseNumber?: boolean;
  readonly parseBoolean?: boolean;
  readonly parseNull?: boolean;
  readonly parseArray?: boolean;
}

const switches: ShapeOf<QueryParserConfig> = {
  parseDoubleUnderscore: z.boolean().optional(),
  parseNumber: z.boolean().optional(),
  parseBoolean: z.boolean().optional(),
  parseNull: z.boolean().optional(),
  parseArray: z.boolean().optional(),
};

/** Global or of a route. */
export const queryParserSchema = z.union([z.literal(false), z.strictObject(switches)]);
