const secretName = /pass(word|wd|phrase)?$|secret|token|authorization|cookie|api-?key|credential/i;
const maxDepth = 8;

/**
 * A copy of a value for the log, without what must not stand there (contract C42): the values under names of secrets are
 * `***`, long texts and deep structures are cut.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.length > 1_000 ? `${value.slice(0, 1_000)}…` : value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`;
  if (depth >= maxDepth) return "…";
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, secretName.test(name) ? "***" : redact(item, depth + 1)]),
  );
}
