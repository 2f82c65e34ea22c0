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

const lineOf = (text: string, position: number): number => text.slice(0, position).split("\n").length;

/** The text with blanks for comments, so that positions stay the same. */
function withoutComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : part.replaceAll(/[^\r\n]/g, " "),
  );
}
