import type { Request, Response } from "express";
import { checkShape, isFunction, isSize, isWithin } from "./check-shape.js";

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

/** The faults of a `compression` value, in words. */
export function checkCompression(value: unknown): string[] {
  if (typeof value === "boolean") return [];
  return checkShape(value, {
    level: isWithin(-1, 9),
    threshold: isSize,
    filter: isFunction,
    memLevel: isWithin(1, 9),
    strategy: isWithin(0, 4),
    chunkSize: isWithin(64, 16_777_216),
  });
}
