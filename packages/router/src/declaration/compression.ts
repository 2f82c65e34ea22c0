import type { Request, Response } from "express";
import { z } from "zod";
import { handler, type ShapeOf, size } from "./option-values.js";

/** The options of compression. */
export interface CompressionOptions {
  /** 0 none, 9 maximum; -1 lets zlib choose. @default -1 */
  readonly level?: number;
  /** Minimum size of a compressed response, in bytes or as a string. @default "1kb" */
  readonly threshold?: number | string;
  /** Decides per response. @default by the media type */
  readonly filter?: (request: Request, response: Response) => boolean;
  /** 1 to 9. @default 8 */
  readonly memLevel?: number;
  /** One of zlib's strategies. @default 0 */
  readonly strategy?: number;
  /** In bytes. @default 16384 */
  readonly chunkSize?: number;
}

/** `true` for the defaults, `false` for plain responses. */
export type CompressionConfig = boolean | CompressionOptions;

const options: ShapeOf<CompressionOptions> = {
  level: z.int().min(-1).max(9).optional(),
  threshold: size.optional(),
  filter: handler.optional(),
  memLevel: z.int().min(1).max(9).optional(),
  strategy: z.int().min(0).max(4).optional(),
  chunkSize: z.int().min(64).max(16_777_216).optional(),
};

/** Global or of a route. */
export const compressionSchema = z.union([z.boolean(), z.strictObject(options)]);
