import type { Reply } from "./send.js";

/** Headers that differ between two equal responses. */
const ofEachResponse: ReadonlySet<string> = new Set([
  ...["date", "x-request-id", "traceparent", "connection", "keep-alive", "server-timing", "content-length"],
  ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
  // The position of a write in the database.
  "x-consistency-token",
]);

const time = /[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** Keys of rows have this form too, and begin with zeros. */
const uuid = /(?!00000000-)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Names of uploaded files. */
const file = /(?<=\/uploads\/\w+\/)[0-9a-f]{32}(?=\.)/g;

/** A text without what differs between two runs: times of the run, ids of requests, and names of uploaded files. */
export const normalizeText = (text: string, since: number): string =>
  text
    .replaceAll(time, (match) => (Math.abs(Date.parse(match) - since) < 600_000 ? "<now>" : match))
    .replaceAll(file, "<now>")
    .replaceAll(uuid, "<id>");

/** A response as text. Its tag is left out if it contains times of the run, as these are a part of it. */
export function normalize({ status, headers, text }: Reply, since: number): string {
  const body = normalizeText(text, since);
  const lines = Object.entries(headers)
    .filter(([name]) => !ofEachResponse.has(name) && !(name === "etag" && body.includes("<now>")))
    .map(([name, value]) => `${name}: ${normalizeText(String(value), since)}`);
  const plain = body.includes("<now>") ? body.replaceAll(/(etag\\*":\s*\\*")(W\/)?[^,}]+/gi, "$1<etag>") : body;
  return [status, ...lines.sort(), plain].join("\n");
}

/** Where two texts differ. */
export function differenceOf(one: string, other: string): string {
  const others = other.split("\n");
  const lines = one.split("\n").flatMap((line, index) => {
    const next = others[index] ?? "";
    return line === next ? [] : [`  ${partAround(line, next)}\n  ${partAround(next, line)}`];
  });
  const more = others.slice(one.split("\n").length).map((line) => `  (nothing)\n  ${line.slice(0, 400)}`);
  return [...lines, ...more].join("\n");
}

/** The part of a line that begins shortly before its difference from another one. */
function partAround(line: string, other: string): string {
  const at = [...line].findIndex((character, index) => character !== other[index]);
  const from = Math.max(0, (at < 0 ? other.length : at) - 120);
  return `${from === 0 ? "" : "…"}${line.slice(from, from + 400)}`;
}
