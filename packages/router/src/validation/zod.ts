import { type FaultPlace, type FieldFault } from "@servicekit/core";
import { fieldCode, toJsonPointer } from "@servicekit/core/internal";
import { inSchemaOrder } from "@servicekit/core/schema";
import {
  $ZodAsyncError,
  type $ZodIssue,
  type $ZodRawIssue,
  type $ZodType,
  config,
  type ParsePayload,
  util,
} from "zod/v4/core";
import type { ZodSchema } from "./schema.js";
import { unknownField } from "./unknown-field.js";
import { distinctFaults, mostFaults, soundKeys, type Validator, type Verdict } from "./validator.js";

/** Schemas that never wait for a promise, whatever they look like. */
const judgedAtOnce = new WeakSet<object>();

/**
 * Says of a schema that no part of it ever returns a promise, where that cannot be seen: a transform, a check of one's own, a lazy
 * schema. Values are held against it in one turn.
 *
 * @returns the schema
 */
export function checkedAtOnce(schema: ZodSchema): ZodSchema {
  judgedAtOnce.add(schema);
  return schema;
}

/** A validator of a Zod schema: without a promise unless the schema has parts that may be asynchronous. */
export function makeZodValidator(schema: ZodSchema, options: Readonly<Record<string, unknown>> = {}): Validator {
  const type = schema as unknown as $ZodType;
  let isAsync = mayWait(schema);
  const run = (value: unknown, async: boolean) => type._zod.run({ value, issues: [] }, { ...options, async });
  const later = async (value: unknown, place: FaultPlace): Promise<Verdict> =>
    toVerdict(await run(value, true), value, place, options, type);
  return (value, place) => {
    if (isAsync) return later(value, place);
    try {
      const payload = run(value, false);
      if (payload instanceof Promise) throw new $ZodAsyncError();
      return toVerdict(payload, value, place, options, type);
    } catch (error) {
      if (!(error instanceof $ZodAsyncError)) throw error;
      isAsync = true;
      return later(value, place);
    }
  };
}

/**
 * Whether a schema holds code that may return a promise. It must be known before the first run: a synchronous run that
 * meets a promise leaves it behind, and when that one rejects, the process ends.
 */
function mayWait(schema: unknown, seen = new Set<unknown>()): boolean {
  if (typeof schema !== "object" || schema === null || seen.has(schema) || judgedAtOnce.has(schema)) return false;
  seen.add(schema);
  const { def } = (schema as { _zod?: { def?: Readonly<Record<string, unknown>> } })._zod ?? {};
  if (def === undefined) return Object.values(schema).some((inner) => mayWait(inner, seen));
  if (waitingKinds.has(def.type) || def.check === "custom") return true;
  if (typeof def.fn === "function" || typeof def.transform === "function") return true;
  return Object.values(def).some((inner) => mayWait(inner, seen));
}

const waitingKinds: ReadonlySet<unknown> = new Set(["custom", "transform", "promise", "lazy"]);

/** As `safeParse` does it, but words are found only for the issues that are told: they cost more than the check itself. */
function toVerdict(
  { issues, value: data }: ParsePayload,
  value: unknown,
  place: FaultPlace,
  options: Readonly<Record<string, unknown>>,
  type: $ZodType,
): Verdict {
  if (issues.length === 0) return { valid: true, value: data };
  const ordered = inSchemaOrder(issues, type).slice(0, mostFaults);
  const found = ordered.flatMap((raw: $ZodRawIssue) => {
    const known = Object.keys((raw.inst as { _zod: { def: { shape?: object } } } | undefined)?._zod.def.shape ?? {});
    return toFaults(util.finalizeIssue(raw, options, config()), value, place, known);
  });
  const faults = distinctFaults(found);
  const sound = type._zod.def.type === "object" ? soundKeys(data, faults) : undefined;
  return { valid: false, faults, ...(sound === undefined ? {} : { sound }) };
}

/**
 * An unknown key is a fault at its own place; a missing value is `RequiredValue`, whatever type was expected.
 *
 * @param known the keys that the object at this place may have
 */
function toFaults(issue: $ZodIssue, value: unknown, place: FaultPlace, known: readonly string[]): FieldFault[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, mostFaults).map((key) => unknownField([...issue.path, key], place, known));
  const missing = ofValues.has(issue.code) && issue.path.length > 0 && valueAt(value, issue.path) === undefined;
  return [
    {
      in: place,
      path: toJsonPointer(issue.path),
      code: missing ? "RequiredValue" : fieldCode(issue.code),
      message: missing ? "This is required." : messageOf(issue),
    },
  ];
}

/** What is coerced to a date is one already when Zod finds that it is none. */
const messageOf = ({ message }: $ZodIssue): string =>
  message === "Invalid input: expected date, received Date" ? "Invalid input: expected a valid date" : message;

/** What a schema says of a value by its type alone: where there is none, that is all there is to say. */
const ofValues: ReadonlySet<unknown> = new Set(["invalid_type", "invalid_value", "invalid_union"]);

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
}
