/** What a template may ask for, and what it may show. */
export interface RenderContext {
  /** The words that hold, such as `blog`, `zod` and `accounts`. */
  readonly words: ReadonlySet<string>;
  /** By the name in `{{name}}`. */
  readonly values: Readonly<Record<string, string>>;
  /** The text of another template, by its place below `templates`. */
  readonly include: (place: string) => string;
}

const directive = /^\s*\/\/: (if|else|end|include)(?: (.*?))?\s*$/;

/**
 * Writes a template out. `//: if shop dynamic` keeps the lines up to `//: else` or `//: end` where all its words hold (a
 * word of two answers holds where one of them was given), `//: include <place>` stands for another template, and
 * `{{name}}` for a value.
 *
 * @throws {Error} for a template that is not whole
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
        if (open.length === 0) throw new Error(`No if stands before ${line}`);
        open.push(!open.pop());
        return [];
      case "end":
        if (open.pop() === undefined) throw new Error(`No if stands before ${line}`);
        return [];
      default:
        if (open.includes(false)) return [];
        return word === "include" ? render(context.include(rest), context).trimEnd().split("\n") : line;
    }
  });
  if (open.length > 0) throw new Error("An if of the template has no end.");
  return lines.join("\n").replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = context.values[name];
    if (value === undefined) throw new Error(`The template asks for ${name}, which nobody gives.`);
    return value;
  });
}
