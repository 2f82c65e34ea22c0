/** A `generator` or `datasource` block of a schema. */
export interface SchemaBlock {
  readonly kind: "generator" | "datasource";
  readonly name: string;
  /** The values of its properties that are strings. */
  readonly values: Readonly<Record<string, string>>;
  /** The line of each property, counted from 1. */
  readonly lines: Readonly<Record<string, number>>;
  /** The position after its closing brace. */
  readonly end: number;
}

/** The blocks of a schema's text that configure Prisma. */
export function blocksOf(text: string): readonly SchemaBlock[] {
  const code = withoutComments(text);
  const found = code.matchAll(/^[ \t]*(generator|datasource)[ \t]+(\w+)[ \t]*\{((?:[^"}]|"(?:[^"\\\n]|\\.)*")*)\}/gm);
  return [...found].map((match) => {
    const [all, kind, name = "", body = ""] = match;
    const start = match.index + all.length - 1 - body.length;
    const properties = [...body.matchAll(/^[ \t]*(\w+)[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)*)")?/gm)];
    return {
      kind: kind as SchemaBlock["kind"],
      name,
      values: Object.fromEntries(properties.map(([, key = "", value = ""]) => [key, value])),
      lines: Object.fromEntries(properties.map((one) => [one[1] ?? "", lineOf(code, start + one.index)])),
      end: match.index + all.length,
    };
  });
}

/** The names of the models of a schema's text. */
export const modelsOf = (text: string): readonly string[] =>
  [...withoutComments(text).matchAll(/^[ \t]*model[ \t]+(\w+)/gm)].map(([, name = ""]) => name);

/** A field of a model. */
export interface SchemaField {
  readonly model: string;
  readonly name: string;
  /** Its type without `?` and `[]`. */
  readonly type: string;
  /** The position of its line. */
  readonly start: number;
  readonly indentation: string;
  /** Whether clients see it is decided: by `@hidden`, `@writeonly` or `@visible`, by `@ignore`, or by the name `password`. */
  readonly isAnnotated: boolean;
}

/** The fields of the models and views of a schema's text. */
export function fieldsOf(text: string): readonly SchemaField[] {
  const original = text.split("\n");
  const fields: SchemaField[] = [];
  let model: string | undefined;
  let start = 0;
  for (const [index, line] of withoutComments(text).split("\n").entries()) {
    const [, opened] = /^[ \t]*(?:model|view)[ \t]+(\w+)/.exec(line) ?? [];
    if (opened !== undefined) model = opened;
    else if (/^\s*\}\s*$/.test(line)) model = undefined;
    const [, indentation = "", name, type = ""] = /^([ \t]*)(\w+)[ \t]+(\w+)/.exec(line) ?? [];
    if (model !== undefined && opened === undefined && name !== undefined) {
      const isAnnotated = name === "password" || /@ignore\b/.test(line) || commentsOf(original, index).some(decides);
      fields.push({ model, name, type, start, indentation, isAnnotated });
    }
    start += line.length + 1;
  }
  return fields;
}

/** The documentation of a field: the `///` comments above its line, and the one behind it. */
function commentsOf(lines: readonly string[], index: number): readonly string[] {
  let first = index;
  while (first > 0 && /^\s*\/\/\//.test(lines[first - 1] ?? "")) first--;
  const [, behind = ""] = /[^:/]\/\/\/(.*)$/.exec(lines[index] ?? "") ?? [];
  return [...lines.slice(first, index).map((line) => line.replace(/^\s*\/\/\//, "")), behind];
}

const decides = (comment: string): boolean =>
  /^\s*(?:@[A-Za-z_-]+\s+)*@(?:hidden|writeonly|visible)(?=[\s,;:.]|$)/.test(comment);

const lineOf = (text: string, position: number): number => text.slice(0, position).split("\n").length;

/** The text with blanks for comments, so that positions stay the same. */
function withoutComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : part.replaceAll(/[^\r\n]/g, " "),
  );
}
