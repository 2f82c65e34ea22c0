import type { ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** What is logged besides the access log (contract C42). */
export interface DebuggingConfig {
  readonly requests?: {
    /**
     * 0 nothing more, 1 a line before the request runs, 2 with its parts, 3 with its body and the size of the response.
     */
    readonly level?: number;
    /** The parts, of `Params`, `Query`, `Headers` and `Body`. @default all */
    readonly filter?: readonly string[];
  };
  readonly dynamicLoader?: {
    /** 0 nothing, 1 loaded files, 2 searched files, 3 with durations. */
    readonly level?: number;
    readonly filters?: { readonly modules?: readonly string[]; readonly components?: readonly string[] };
  };
}

const level = z.int().min(0).max(3).optional();
const words = z.array(z.string()).optional();

const keys: ShapeOf<DebuggingConfig> = {
  requests: z
    .strictObject({ level, filter: z.array(z.enum(["Params", "Query", "Headers", "Body"])).optional() })
    .optional(),
  dynamicLoader: z
    .strictObject({ level, filters: z.strictObject({ modules: words, components: words }).optional() })
    .optional(),
};

/** The schema of the block `debugging`. */
export const debuggingSchema = z.strictObject(keys);
