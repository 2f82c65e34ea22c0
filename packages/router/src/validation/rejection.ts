import { z } from "zod";

const rejections = new WeakSet<object>();

/** A schema of a key that is rejected with a message of its own; it is not suggested for unknown keys. */
export function rejection(message: string): z.ZodType {
  const schema = z
    .unknown()
    .refine((value) => value === undefined, message)
    .optional();
  rejections.add(schema);
  return schema;
}

/** Whether a schema was made by {@link rejection}. */
export const isRejection = (schema: object): boolean => rejections.has(schema);
