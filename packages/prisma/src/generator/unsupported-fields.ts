import type { UnsupportedFieldData } from "../models/models-data.js";

/** A field of an unsupported type, with its position in the model. */
export interface UnsupportedFieldPlace {
  readonly field: UnsupportedFieldData;
  /** The names of the fields and lines before it in the block, nearest first. */
  readonly before: readonly string[];
}

/**
 * Finds the `Unsupported("…")` fields of each model in the text of a schema, because the DMMF lacks them. The text has
 * passed Prisma's own parser, so that one field is one line and a block's brace ends its line.
 */
export function findUnsupportedFields(schemaText: string): ReadonlyMap<string, readonly UnsupportedFieldPlace[]> {
  const found = new Map<string, UnsupportedFieldPlace[]>();
  for (const { model, line, name, comments, before } of fieldLines(schemaText)) {
    const field = readUnsupportedField(line, name, comments);
    if (field !== undefined) found.set(model, [...(found.get(model) ?? []), { field, before }]);
  }
  return found;
}

/**
 * The columns of each model that a new row requires and that Prisma's client does not write: required ones of a type
 * `Unsupported("…")` or with `@ignore`, without a default in the database.
 *
 * @param isColumn whether a type is that of a column, and not of a relation
 */
export function findUnsettableColumns(
  schemaText: string,
  isColumn: (type: string) => boolean,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { model, line, name } of fieldLines(schemaText)) {
    const match = /^\s*\w+\s+(Unsupported\(\s*"(?:[^"\\]|\\.)*"\s*\)|\w+)(\[\]|\?)?(.*)$/.exec(line);
    if (match === null || match[2] !== undefined) continue;
    const [attributes] = splitTrailingComment(match[3] ?? "");
    const plain = attributes.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    const [type = ""] = match.slice(1);
    const isUnsupported = type.startsWith("Unsupported(");
    if (!isUnsupported && !(isColumn(type) && /@ignore\b/.test(plain))) continue;
    // Prisma itself creates these values, but not for columns that it ignores.
    const isByDatabase = /@default\((?!\s*(?:uuid|cuid|nanoid|ulid)\s*\()/.test(plain);
    if (!isByDatabase) found.set(model, [...(found.get(model) ?? []), name]);
  }
  return found;
}

interface FieldLine {
  readonly model: string;
  readonly line: string;
  readonly name: string;
  /** The documentation before the field. */
  readonly comments: readonly string[];
  /** The names of the fields and lines before it in the block, nearest first. */
  readonly before: readonly string[];
}

function* fieldLines(schemaText: string): Generator<FieldLine> {
  let model: string | undefined;
  let before: string[] = [];
  let comments: string[] = [];
  for (const line of withoutBlockComments(schemaText).split(/\r?\n/)) {
    const opening = /^\s*(?:model|view)\s+(\w+)\s*\{/.exec(line);
    if (opening) {
      model = opening[1];
      before = [];
      comments = [];
      continue;
    }
    if (model === undefined) continue;
    const comment = /^\s*\/\/\/ ?(.*)$/.exec(line);
    if (comment) {
      comments.push((comment[1] ?? "").trimEnd());
      continue;
    }
    if (/^\s*\}/.test(line)) {
      model = undefined;
      continue;
    }
    const name = /^\s*(\w+)\s+\S/.exec(line)?.[1];
    if (name === undefined) continue;
    yield { model, line, name, comments, before };
    before = [name, ...before];
    comments = [];
  }
}

function readUnsupportedField(
  line: string,
  name: string,
  comments: readonly string[],
): UnsupportedFieldData | undefined {
  const match = /^\s*\w+\s+Unsupported\(\s*("(?:[^"\\]|\\.)*")\s*\)(\[\]|\?)?(.*)$/.exec(line);
  if (match === null) return undefined;
  const [attributes, trailing] = splitTrailingComment(match[3] ?? "");
  const column = /@map\(\s*(?:name:\s*)?("(?:[^"\\]|\\.)*")\s*\)/.exec(attributes)?.[1];
  const documentation = [...comments, ...(trailing === undefined ? [] : [trailing])].join("\n");
  return {
    kind: "unsupported",
    name,
    type: JSON.parse(match[1] ?? '""') as string,
    ...(column === undefined ? {} : { column: JSON.parse(column) as string }),
    ...(match[2] === "[]" ? { isList: true as const } : {}),
    ...(match[2] === "?" ? { isOptional: true as const } : {}),
    ...(documentation === "" ? {} : { documentation }),
  };
}

/** Splits a line at its comment; a documentation comment (`///`) is returned. */
function splitTrailingComment(text: string): [attributes: string, documentation: string | undefined] {
  const outside = /^((?:[^"/]|"(?:[^"\\]|\\.)*"|\/(?!\/))*)(\/\/\/?)?(.*)$/.exec(text);
  if (outside === null) return [text, undefined];
  return [outside[1] ?? "", outside[2] === "///" ? (outside[3] ?? "").trim() : undefined];
}

function withoutBlockComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith("/*") ? "\n".repeat(part.split("\n").length - 1) : part,
  );
}
