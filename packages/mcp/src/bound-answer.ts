/** The longest answer, in characters: about 6,000 tokens. */
export const mostCharacters = 24_000;

/** The longest text of one value in a row that is shown. */
const longestValue = 2_000;

/** A list or a row as text, within bounds; what was left out is told together with how to ask for less. */
export function boundAnswer(answer: unknown): string {
  const whole = JSON.stringify(answer);
  if (whole.length <= mostCharacters) return whole;
  const { data, ...rest } = Object(answer) as { readonly data?: unknown };
  if (!Array.isArray(data)) return cutText(JSON.stringify(shorten(answer)));
  const rows: unknown[] = [];
  let room = mostCharacters - JSON.stringify(rest).length - 300;
  for (const row of data) {
    const text = JSON.stringify(row).length + 1;
    if (text > room) break;
    rows.push(row);
    room -= text;
  }
  if (rows.length === 0) return cutText(JSON.stringify({ data: [shorten(data[0])], ...rest }), data.length);
  const hint = `Only the first ${rows.length} of these ${data.length} rows fit into an answer. ${narrower(rows.length)}`;
  return JSON.stringify({ data: rows, ...rest, hint });
}

/** Text that is no list, within bounds. */
export function cutText(text: string, rows?: number): string {
  if (text.length <= mostCharacters) {
    return rows === undefined ? text : `${text}\n${hintOf(`The first of ${rows} rows, its long values cut.`)}`;
  }
  return `${text.slice(0, mostCharacters - 200)}…\n${hintOf(`Cut after ${mostCharacters - 200} of ${text.length} characters.`)}`;
}

const hintOf = (what: string): string =>
  `${what} Ask for less: name the fields that you need, include fewer relations.`;

const narrower = (fitting: number): string =>
  `Ask with limit: ${fitting} and go on by page, with a narrower where, or name the fields that you need.`;

function shorten(value: unknown): unknown {
  if (typeof value === "string" && value.length > longestValue) {
    return `${value.slice(0, longestValue)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
}
