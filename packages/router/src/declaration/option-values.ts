import { z } from "zod";

/** Values that options are made of, with their words; the schemas of all packages speak alike. */

/** A schema for each key of a type, and for no other: keeps the type and the schema of options together. */
export type ShapeOf<Options> = { readonly [Key in keyof Required<Options>]: z.ZodType };

/** A whole number of at least 1. */
export const count = z.int().min(1);

export const milliseconds = z.int().min(1).meta({ expected: "a whole number of milliseconds" });

export const text = z.string().min(1);

/** Bytes, as a number or in words. */
export const size = z
  .union([z.int().min(0), z.string().regex(/^\d+(\.\d+)?\s*(b|kb|mb|gb)?$/i)])
  .meta({ expected: "a number of bytes or a text such as 1mb" });

export const handler = z
  .custom<(...args: never) => unknown>((value) => typeof value === "function")
  .meta({ expected: "a function" });
