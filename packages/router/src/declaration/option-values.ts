import { isObject } from "@servicekit/core/internal";
import { z } from "zod";

/** Option values with their descriptions, shared by the schemas of all packages. */

/** A schema for each key of a type, and no other, so that an options type and its schema agree. */
export type ShapeOf<Options> = { readonly [Key in keyof Required<Options>]: z.ZodType };

/** An integer of at least 1. */
export const count = z.int().min(1);

/** A schema: a positive integer of milliseconds. */
export const milliseconds = z.int().min(1).meta({ expected: "an integer number of milliseconds" });

/** A schema: a string that is not empty. */
export const text = z.string().min(1);

/** Bytes, as a number or a string. */
export const size = z
  .union([z.int().min(0), z.string().regex(/^\d+(\.\d+)?\s*(b|kb|mb|gb)?$/i)])
  .meta({ expected: "a number of bytes or a string such as 1mb" });

/** A handler, or lists of them. */
export const hook = z
  .custom<unknown>((value) => [value].flat(Number.POSITIVE_INFINITY).every((one) => typeof one === "function"))
  .meta({ expected: "a function or a list of functions" });

/** A schema: an Express router. */
export const router = z
  .custom<object>((value) => typeof value === "function" || (isObject(value) && typeof value.handle === "function"))
  .meta({ expected: "a router" });

/** Values by known names. */
export const byName = (names: readonly string[], value: z.ZodType): z.ZodObject =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, value.optional()])));

/** A schema: a function. */
export const handler = z
  .custom<(...args: never) => unknown>((value) => typeof value === "function")
  .meta({ expected: "a function" });
