import type { Row } from "../api/shop.js";
import type { ApiDocument, BodyField, Schema } from "./document.js";
import { fileFields, writtenFields } from "./document.js";
import { type FieldInfo, type FieldKind, type ModelInfo, toTitle } from "./model-info.js";

/** A field of a form. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly kind: FieldKind;
  readonly isList: boolean;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly isDay: boolean;
  readonly isLong: boolean;
  readonly values: readonly string[];
  readonly description: string | undefined;
  readonly schema: Schema;
  /** The relation whose row is selected by name. */
  readonly relation: FieldInfo | undefined;
  /** Whether a file, or several, are uploaded for it. */
  readonly file: "one" | "many" | undefined;
}

const typeOf = ({ type }: Schema): string => String(Array.isArray(type) ? type.find((each) => each !== "null") : type);

function kindOfSchema(schema: Schema): FieldKind {
  if (schema.enum !== undefined) return "enum";
  if (schema.format === "date-time" || schema.format === "date") return "datetime";
  const kinds: Readonly<Record<string, FieldKind>> = {
    string: "text",
    boolean: "boolean",
    integer: "integer",
    number: "float",
  };
  return kinds[typeOf(schema)] ?? "json";
}

/** A date is a text with a pattern; a date-time has a format. */
const isDayOf = (schema: Schema): boolean =>
  schema.format === "date" || (schema.format === undefined && /^\^\\d\{4\}-/.test(schema.pattern ?? ""));

/**
 * The fields of the form that creates or updates a row: those of the document that the visitor can see, and write-only
 * fields. Without the document, those that the visitor can see.
 */
export function formFields(
  document: ApiDocument | null | undefined,
  model: ModelInfo,
  kind: "create" | "update",
): readonly FormField[] {
  const documented = writtenFields(document, model, kind);
  const fields =
    documented === undefined
      ? model.fields.flatMap((field) =>
          field.kind === "relation" || field.computed === true ? [] : [toFormField(field, plainBody(field))],
        )
      : documented.flatMap((body) => {
          const field = model.field(body.name);
          if (field?.kind === "relation") return [];
          if (field === undefined && isRelationLike(body)) return [];
          return [toFormField(field, body)];
        });
  const order = new Map(model.fields.map(({ name }, at) => [name, at]));
  return [...fields].sort(
    (a, b) => (order.get(a.name) ?? Number.POSITIVE_INFINITY) - (order.get(b.name) ?? Number.POSITIVE_INFINITY),
  );
}

/** The same, with the files of one row. */
export function rowFields(
  document: ApiDocument | null | undefined,
  model: ModelInfo,
  kind: "create" | "update",
): readonly FormField[] {
  const fields = formFields(document, model, kind);
  const files = fileFields(document, model, kind);
  const toFile = (field: FormField): FormField => {
    const file = files.find(({ name }) => name === field.name);
    if (file === undefined) return field;
    return {
      ...field,
      file: file.isMany ? "many" : "one",
      description: [field.description, file.description].filter(Boolean).join(" ") || undefined,
    };
  };
  // A file inside a nested value has a field of its own here.
  const alone = files
    .filter(({ name }) => !fields.some((field) => field.name === name))
    .map(({ name }) => toFormField(undefined, { name, schema: {}, isNullable: false, isRequired: false }));
  return [...fields, ...alone].map(toFile);
}

/** A related row of a relation that the visitor cannot see. */
const isRelationLike = ({ schema }: BodyField): boolean =>
  typeOf(schema) === "object" ||
  (typeOf(schema) === "array" && schema.items !== undefined && typeOf(schema.items) !== "string");

const plainBody = ({ name, required }: FieldInfo): BodyField => ({
  name,
  schema: {},
  isNullable: !required,
  isRequired: false,
});

function toFormField(field: FieldInfo | undefined, { name, schema, isNullable, isRequired }: BodyField): FormField {
  const isList = field?.list ?? typeOf(schema) === "array";
  const of = isList ? (schema.items ?? {}) : schema;
  const kind = field?.kind ?? kindOfSchema(of);
  return {
    name,
    title: toTitle(field?.keyOf?.name ?? name),
    kind,
    isList,
    isNullable,
    isRequired,
    isDay: kind === "datetime" && isDayOf(of),
    isLong:
      kind === "text" &&
      !isList &&
      of.format === undefined &&
      of.pattern === undefined &&
      (of.maxLength ?? 1_000) > 150,
    values: field?.values ?? (of.enum ?? []).map(String),
    description: schema.description,
    schema: of,
    relation: field?.keyOf,
    file: undefined,
  };
}

/** The value of an input: mostly the text as entered. `undefined` is not sent. */
export type Draft = Readonly<Record<string, unknown>>;

/** A value of a row, as its input shows it. */
export function toInput(field: FormField, value: unknown): unknown {
  if (value === null || value === undefined || field.file !== undefined) return value;
  if (field.isList || field.kind === "boolean") return value;
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  if (field.kind === "datetime") return field.isDay ? String(value).slice(0, 10) : String(value).replace(/Z$/, "");
  return String(value);
}

/** Whether a value is a local file, or several. */
export const isFiles = (value: unknown): boolean =>
  value instanceof File || (Array.isArray(value) && value.length > 0 && value.every((each) => each instanceof File));

/**
 * The body to send: a form if it contains a file.
 *
 * @throws {InputError} for what a form cannot represent
 */
export function toSent(body: Row, fields: readonly FormField[]): Row | FormData {
  if (!Object.values(body).some(isFiles)) return body;
  const form = new FormData();
  const toText = (name: string, value: unknown): string =>
    fields.some((field) => field.name === name && field.kind === "json") ? JSON.stringify(value) : String(value);
  for (const [name, value] of Object.entries(body)) {
    if (value === null || (Array.isArray(value) && value.length === 0))
      throw new InputError(
        `${toTitle(name)} cannot be emptied together with a file upload. Save them one after the other.`,
      );
    if (isFiles(value)) for (const file of [value].flat()) form.append(name, file as File);
    else if (Array.isArray(value)) for (const each of value) form.append(`${name}[]`, toText(name, each));
    else form.append(name, toText(name, value));
  }
  return form;
}

/** A text that is not a number or not JSON: the input shows the error, and nothing is sent. */
export class InputError extends Error {}

/**
 * The value to send for an input. Decimals and large numbers stay strings, so that nothing is rounded.
 *
 * @throws {InputError}
 */
export function toBody(field: FormField, value: unknown): unknown {
  if (field.file !== undefined) return value;
  if (field.isList) return (value as readonly unknown[]).map((each) => toScalar(field, each));
  return toScalar(field, value);
}

function toScalar(field: FormField, value: unknown): unknown {
  if (value === null || value === undefined || typeof value === "boolean") return value;
  const text = String(value);
  switch (field.kind) {
    case "integer": {
      const number = Number(text.trim());
      // A rounded number is a different number.
      if (!/^[+-]?\d+$/.test(text.trim()) || !Number.isSafeInteger(number)) throw new InputError("must be an integer");
      return number;
    }
    case "float": {
      const number = Number(text.trim());
      if (!/^[+-]?(\d|\.\d)/.test(text.trim()) || !Number.isFinite(number) || /^[+-]?0[a-z]/i.test(text.trim()))
        throw new InputError("must be a number");
      return number;
    }
    case "bigint":
    case "decimal":
      if (!/^-?\d+(\.\d+)?$/.test(text.trim())) throw new InputError("must be a number, such as 19.90");
      return text.trim();
    case "json":
      try {
        return JSON.parse(text);
      } catch (error) {
        throw new InputError(`must be JSON: ${(error as Error).message}`);
      }
    case "datetime":
      if (text === "") throw new InputError("must be a date");
      return field.isDay ? text : `${/T\d\d:\d\d$/.test(text) ? `${text}:00` : text}Z`;
    default:
      return text;
  }
}

/** The row of a draft, or the errors of its inputs. */
export interface ReadDraft {
  readonly body: Row;
  readonly issues: ReadonlyMap<string, string>;
}

/** Reads the inputs that were changed. */
export function readDraft(fields: readonly FormField[], draft: Draft): ReadDraft {
  const body: Record<string, unknown> = {};
  const issues = new Map<string, string>();
  for (const field of fields) {
    const value = draft[field.name];
    if (value === undefined) {
      continue;
    }
    try {
      body[field.name] = toBody(field, value);
    } catch (error) {
      issues.set(field.name, error instanceof Error ? error.message : String(error));
    }
  }
  return { body, issues };
}
