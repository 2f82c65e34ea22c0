import type { ExpectedList, ExpectedScalar, ExpectedValue } from "@servicekit/query-parser";
import { anyOf } from "./expected-values.js";
import { isZodSchema } from "./schema.js";

interface Definition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly catchall?: unknown;
  readonly valueType?: unknown;
  readonly element?: unknown;
  readonly items?: readonly unknown[];
  readonly rest?: unknown;
  readonly options?: readonly unknown[];
  readonly left?: unknown;
  readonly right?: unknown;
  readonly in?: unknown;
  readonly innerType?: unknown;
  readonly getter?: () => unknown;
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
}

/**
 * The input type of a Zod schema before transforms; `undefined` if it is unknown, as for `z.any()` and
 * `z.preprocess()`.
 */
export function expectedOfZod(schema: unknown, seen = new Map<unknown, ExpectedValue>()): ExpectedValue | undefined {
  if (!isZodSchema(schema)) return undefined;
  const known = seen.get(schema);
  if (known !== undefined) return known;
  const def = schema._zod.def as Definition;
  const inner = (type: unknown) => expectedOfZod(type, seen);
  switch (def.type) {
    case "string":
    case "template_literal":
      return scalar("text");
    case "number":
    case "int":
      return scalar("number");
    case "boolean":
      return scalar("boolean");
    case "null":
      return scalar("null");
    // Coerced values are created from the text; as a number, 2024 would be two seconds after 1970.
    case "date":
    case "bigint":
      return scalar(def.coerce === true ? "text" : def.type);
    case "enum":
      return literals(Object.values(def.entries ?? {}));
    case "literal":
      return literals(def.values ?? []);
    case "nullable":
      return anyOf([inner(def.innerType), scalar("null")]);
    case "optional":
    case "nonoptional":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
      return inner(def.innerType);
    case "pipe":
      return inner(def.in);
    case "lazy":
      return inner(def.getter?.());
    case "union":
      return anyOf((def.options ?? []).filter((option) => !isNothing(option)).map(inner));
    case "intersection":
      return anyOf([inner(def.left), inner(def.right)]);
    case "array":
    case "tuple":
      return list(def, schema, seen);
    case "object":
    case "record":
      return object(def, schema, seen);
    default:
      return undefined;
  }
}

const scalar = (kind: ExpectedScalar): ExpectedValue => ({ scalars: new Set([kind]) });

/** `undefined` in a union does not matter for a present value. */
const isNothing = (schema: unknown): boolean =>
  isZodSchema(schema) && ["undefined", "void", "never"].includes((schema._zod.def as Definition).type);

function literals(values: readonly unknown[]): ExpectedValue {
  const known = values.filter((value) => value === null || ["string", "number", "boolean"].includes(typeof value));
  return { literals: new Map(known.map((value) => [String(value), value as string | number | boolean | null])) };
}

/** A recursive schema is registered before its contents are read. */
function list(def: Definition, schema: unknown, seen: Map<unknown, ExpectedValue>): ExpectedValue {
  const first: (ExpectedValue | undefined)[] = [];
  const made: { list: { first: typeof first; rest: ExpectedList["rest"] } } = { list: { first, rest: undefined } };
  seen.set(schema, made);
  first.push(...(def.items ?? []).map((item) => expectedOfZod(item, seen)));
  made.list.rest = expectedOfZod(def.type === "array" ? def.element : def.rest, seen);
  return made;
}

function object(def: Definition, schema: unknown, seen: Map<unknown, ExpectedValue>): ExpectedValue {
  const fields = new Map<string, ExpectedValue | undefined>();
  const made: { fields: typeof fields; rest?: ExpectedValue | undefined } = { fields };
  seen.set(schema, made);
  for (const [key, type] of Object.entries(def.shape ?? {})) fields.set(key, expectedOfZod(type, seen));
  made.rest = expectedOfZod(def.type === "object" ? def.catchall : def.valueType, seen);
  return made;
}
