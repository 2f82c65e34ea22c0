import { dtoKeys } from "./class-validator.js";
import { isZodSchema, type Schema } from "./schema.js";

/** The keys of a schema's output object; `undefined` if they are unknown. */
export function schemaKeys(schema: Schema): readonly string[] | undefined {
  return isZodSchema(schema) ? zodKeys(schema) : dtoKeys(schema);
}

interface Definition {
  readonly type?: string;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly innerType?: unknown;
  readonly out?: unknown;
  readonly left?: unknown;
  readonly right?: unknown;
}

function zodKeys(schema: unknown): readonly string[] | undefined {
  if (!isZodSchema(schema)) return undefined;
  const { type, shape, innerType, out, left, right } = schema._zod.def as Definition;
  if (type === "object") return Object.keys(shape ?? {});
  if (type === "pipe") return zodKeys(out);
  if (type !== "intersection") return innerType === undefined ? undefined : zodKeys(innerType);
  const [first, second] = [zodKeys(left), zodKeys(right)];
  return first && second && [...new Set([...first, ...second])];
}
