import type { Request, Response } from "express";
import { z } from "zod";
import { handler, type ShapeOf, size } from "./option-values.js";

/** How answers are compressed. */
export interface CompressionOptions {
  /** 0 is none, 9 the most; -1 lets zlib choose. @default -1 */
  readonly level?: number;
  /** The smallest answer that is compressed, in bytes or as text. @default "1kb" */
  readonly threshold?: number | string;
  /** Decides for each answer. @default by the kind of its content */
  readonly filter?: (request: Request, response: Response) => boolean;
  /** 1 to 9. @default 8 */
  readonly memLevel?: number;
  /** One of zlib's strategies. @default 0 */
  readonly strategy?: number;
  /** In bytes. @default 16384 */
  readonly chunkSize?: number;
}

/** `true` is the defaults, `false` plain answers. */
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
