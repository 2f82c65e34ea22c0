import { type IssuePlace, type ValidationIssue } from "@servicekit/core";
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
import { isRejection } from "./rejection.js";
import type { ZodSchema } from "./schema.js";
import { unknownField } from "./unknown-field.js";
import { distinctIssues, maxIssues, type ValidationResult, type Validator, validKeysOf } from "./validator.js";

/** Schemas declared as synchronous. */
const synchronousSchemas = new WeakSet<object>();

/**
 * Declares that no part of a schema ever returns a promise, if that cannot be detected: a transform, a custom check, a
 * lazy schema. Values are then validated synchronously.
 *
 * @returns the schema
 */
export function checkedSynchronously(schema: ZodSchema): ZodSchema {
  synchronousSchemas.add(schema);
  return schema;
}

/** A validator of a Zod schema: synchronous unless the schema has parts that may be asynchronous. */
export function makeZodValidator(schema: ZodSchema, options: Readonly<Record<string, unknown>> = {}): Validator {
  const type = schema as unknown as $ZodType;
  let isAsync = mayWait(schema);
  const run = (value: unknown, async: boolean) => type._zod.run({ value, issues: [] }, { ...options, async });
  const later = async (value: unknown, place: IssuePlace): Promise<ValidationResult> =>
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
 * Whether a schema contains code that may return a promise. It must be known before the first run: a synchronous run
 * that encounters a promise abandons it, and its rejection would end the process.
 */
function mayWait(schema: unknown, seen = new Set<unknown>()): boolean {
  if (typeof schema !== "object" || schema === null || seen.has(schema) || synchronousSchemas.has(schema)) return false;
  seen.add(schema);
  const { def } = (schema as { _zod?: { def?: Readonly<Record<string, unknown>> } })._zod ?? {};
  if (def === undefined) return Object.values(schema).some((inner) => mayWait(inner, seen));
  if (waitingKinds.has(def.type) || def.check === "custom") return true;
  if (typeof def.fn === "function" || typeof def.transform === "function") return true;
  return Object.values(def).some((inner) => mayWait(inner, seen));
}

const waitingKinds: ReadonlySet<unknown> = new Set(["custom", "transform", "promise", "lazy"]);

/** Like `safeParse`, but messages are created only for reported issues, because they cost more than the validation. */
function toVerdict(
  { issues, value: data }: ParsePayload,
  value: unknown,
  place: IssuePlace,
  options: Readonly<Record<string, unknown>>,
  type: $ZodType,
): ValidationResult {
  if (issues.length === 0) return { valid: true, value: data };
  const ordered = inSchemaOrder(issues, type).slice(0, maxIssues);
  const found = ordered.flatMap((raw: $ZodRawIssue) => {
    const { shape = {} } =
      (raw.inst as { _zod: { def: { shape?: Record<string, object> } } } | undefined)?._zod.def ?? {};
    const known = Object.keys(shape).filter((key) => !isRejection(shape[key] as object));
    return toIssues(util.finalizeIssue(raw, options, config()), value, place, known);
  });
  const distinct = distinctIssues(found);
  const validKeys = type._zod.def.type === "object" ? validKeysOf(data, distinct) : undefined;
  return { valid: false, issues: distinct, ...(validKeys === undefined ? {} : { validKeys }) };
}

/**
 * An unknown key is an issue at its own place; a missing value is `RequiredValue`, whatever type was expected.
 *
 * @param known the allowed keys of the object at this place
 */
function toIssues(issue: $ZodIssue, value: unknown, place: IssuePlace, known: readonly string[]): ValidationIssue[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, maxIssues).map((key) => unknownField([...issue.path, key], place, known));
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

/** A value coerced to a date already is one when Zod finds it invalid. */
const messageOf = ({ message }: $ZodIssue): string =>
  message === "Invalid input: expected date, received Date" ? "Invalid input: expected a valid date" : message;

/** The type message of a schema, used for a missing value. */
const ofValues: ReadonlySet<unknown> = new Set(["invalid_type", "invalid_value", "invalid_union"]);

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
}
