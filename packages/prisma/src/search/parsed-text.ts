/*
 * PostgreSQL's parser of texts reads a run of characters without white space, such as `x1@x1@`, again from each of its words, in
 * case that an address or a path begins there, and what follows the start of a comment to the end of the text. Its work is
 * quadratic, so it receives short runs, and no comments.
 */

/** Longer runs are separated into parts of this many characters. */
const maxRun = 100;

const character = "[^ \\t\\n\\r\\f\\v]";
const run = `${character}{${maxRun}}(?=${character})`;
const runs = new RegExp(run, "gu");
const comment = "<!--";

/** The SQL of a text for the parser. The collation is set because some support no regular expressions. */
export const parsedSql = (text: string): string =>
  `replace(regexp_replace(${text} COLLATE "C", '(${run})', '\\1 ', 'g'), '${comment}', ' ')`;

/** The same of a text in this process, with the given separators instead of the blanks. */
export function separate(text: string, afterRun: string, asComment: string): string {
  return text.replaceAll(runs, (part) => part + afterRun).replaceAll(comment, () => asComment);
}
