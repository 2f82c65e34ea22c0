/** The variables and conditions of a template. */
export interface RenderContext {
  /** The true conditions, such as `blog`, `zod` and `accounts`. */
  readonly words: ReadonlySet<string>;
  /** Values by the name in `{{name}}`. */
  readonly values: Readonly<Record<string, string>>;
  /** The text of another template, by its path below `templates`. */
  readonly include: (place: string) => string;
}

const directive = /^\s*\/\/: (if|else|end|include)(?: (.*?))?\s*$/;

/**
 * Renders a template. `//: if shop dynamic` includes the lines up to `//: else` or `//: end` if all its words are true
 * (a word of two options is true if one of them is selected), `//: include <path>` inserts another template, and
 * `{{name}}` a value.
 *
 * @throws {Error} for an incomplete template
 */
export function render(text: string, context: RenderContext): string {
  const open: boolean[] = [];
  const lines = text.split("\n").flatMap((line) => {
    const [, word, rest = ""] = directive.exec(line) ?? [];
    switch (word) {
      case "if":
        open.push(rest.split(" ").every((one) => context.words.has(one)));
        return [];
      case "else":
        if (open.length === 0) throw new Error(`There is no matching if before ${line}`);
        open.push(!open.pop());
        return [];
      case "end":
        if (open.pop() === undefined) throw new Error(`There is no matching if before ${line}`);
        return [];
      default:
        if (open.includes(false)) return [];
        return word === "include" ? render(context.include(rest), context).trimEnd().split("\n") : line;
    }
  });
  if (open.length > 0) throw new Error("An if of the template is not closed.");
  return lines.join("\n").replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = context.values[name];
    if (value === undefined) throw new Error(`The template requires ${name}, which is not set.`);
    return value;
  });
}
