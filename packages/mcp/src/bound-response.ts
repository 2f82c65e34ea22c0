/** Maximum length of a result, in characters: about 6,000 tokens. */
export const maxCharacters = 24_000;

/** Maximum length of one value in a row. */
const longestValue = 2_000;

/** Formats a list or a row within the limits. If something is omitted, the text states it and how to request less. */
export function boundResponse(response: unknown): string {
  const full = JSON.stringify(response);
  if (full.length <= maxCharacters) return full;
  const { data, ...rest } = Object(response) as { readonly data?: unknown };
  if (!Array.isArray(data)) return cutText(JSON.stringify(shorten(response)));
  const rows: unknown[] = [];
  let room = maxCharacters - JSON.stringify(rest).length - 300;
  for (const row of data) {
    const text = JSON.stringify(row).length + 1;
    if (text > room) break;
    rows.push(row);
    room -= text;
  }
  if (rows.length === 0) return cutText(JSON.stringify({ data: [shorten(data[0])], ...rest }), data.length);
  const hint = `Only the first ${rows.length} of these ${data.length} rows fit into the result. ${narrower(rows.length)}`;
  return JSON.stringify({ data: rows, ...rest, hint });
}

/** Text that is not a list, within the limits. */
export function cutText(text: string, rows?: number): string {
  if (text.length <= maxCharacters) {
    return rows === undefined
      ? text
      : `${text}\n${hintOf(`The first of ${rows} rows; its long values are truncated.`)}`;
  }
  return `${text.slice(0, maxCharacters - 200)}…\n${hintOf(`Truncated after ${maxCharacters - 200} of ${text.length} characters.`)}`;
}

const hintOf = (what: string): string =>
  `${what} Request less: select the fields that you need, include fewer relations.`;

const narrower = (fitting: number): string =>
  `Use limit: ${fitting} and paginate, narrow the where, or select the fields that you need.`;

function shorten(value: unknown): unknown {
  if (typeof value === "string" && value.length > longestValue) {
    return `${value.slice(0, longestValue)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
}
