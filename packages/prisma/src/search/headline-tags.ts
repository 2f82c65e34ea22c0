const digits = "0123456789abcdef";

/**
 * The digits of encoded texts: PostgreSQL finds words neither in them nor across them, whatever its locale is, and the attribute of
 * a tag does not end with one of them.
 */
const signs = "!`#$%()*,;=?[]^|";

/** Longer tags are shortened to this many characters: PostgreSQL leaves out what has more than 2 kB when it is encoded. */
const maxCharacters = 100;

/** Creates the mark before encoded texts, from hexadecimal digits. */
export const makeTagMark = (random: string): string => `{${toSigns(random)}`;

/**
 * Encodes the parts of a text that PostgreSQL's parser takes for tags, comments and scripts, because it leaves them out of
 * excerpts. They are found by the parser itself, so that the words of the text are those of its text vector. After the mark
 * are their bytes and `}`; without bytes it is a `<`.
 */
export function tagSql(text: string, mark: string): string {
  const shown = `CASE WHEN length(token) > ${maxCharacters} THEN left(token, ${maxCharacters - 1}) || '…' ELSE token END`;
  const bytes = `translate(encode(convert_to(${shown}, 'UTF8'), 'hex'), '${digits}', '${signs}')`;
  // The types of the parser: 12 is text between words and 13 a tag; 5, 15, 16 and 17 repeat other parts.
  return `CASE WHEN strpos(${text}, '<') = 0 THEN ${text} ELSE (
SELECT string_agg(CASE WHEN tokid = 13 OR tokid = 12 AND token ~ '[^[:punct:][:space:]]' THEN ${mark} || ${bytes} || '}'
WHEN tokid = 12 THEN replace(token, '<', ${mark} || '}') ELSE token END, '' ORDER BY part)
FROM ts_parse('pg_catalog.default', ${text}) WITH ORDINALITY AS p(tokid, token, part) WHERE tokid NOT IN (5, 15, 16, 17)) END`;
}

/** Returns the text of an excerpt with encoded tags. */
export function decodeTags(excerpt: string, mark: string): string {
  const [first = "", ...parts] = excerpt.split(mark);
  return first + parts.map(decodeFirst).join("");
}

function decodeFirst(part: string): string {
  const end = part.indexOf("}");
  const hex = Array.from(part.slice(0, end), (sign) => digits[signs.indexOf(sign)]).join("");
  return (hex === "" ? "<" : Buffer.from(hex, "hex").toString()) + part.slice(end + 1);
}

const toSigns = (hex: string): string => Array.from(hex, (digit) => signs[digits.indexOf(digit)]).join("");
