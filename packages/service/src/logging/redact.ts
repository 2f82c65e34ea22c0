import { redactText } from "./redact-text.js";
import { isSecretName } from "./secret-name.js";

const maxDepth = 8;
const maxItems = 100;
/** Of a complete value, so that a deep and wide one cannot block the process. */
const maxValues = 2_000;
const maxText = 1_000;

/** How much of a value is included. */
export interface RedactLimits {
  /** Maximum number of characters of one text. @default 1000 */
  readonly text?: number;
}

/**
 * A copy of a value for the log, without secrets (contract C42): the values under names of secrets are `***` at any
 * depth, also in texts; long texts and deep or large structures are truncated.
 */
export function redact(value: unknown, { text = maxText }: RedactLimits = {}): unknown {
  let left = maxValues;
  const copy = (item: unknown, depth: number): unknown => {
    if (typeof item === "string") return redactText(item, text);
    if (typeof item === "bigint") return item.toString();
    if (typeof item === "function" || typeof item === "symbol") return undefined;
    if (typeof item !== "object" || item === null || item instanceof Date) return item;
    if (item instanceof Uint8Array) return `${item.byteLength} bytes`;
    if (depth >= maxDepth || left <= 0) return "…";
    if (Array.isArray(item)) return item.slice(0, maxItems).map((inner) => take(inner, depth));
    const names = Object.keys(item).slice(0, maxItems);
    return Object.fromEntries(
      names.map((name) => [name, isSecretName(name) ? "***" : take(Reflect.get(item, name), depth)]),
    );
  };
  const take = (item: unknown, depth: number): unknown => {
    left--;
    return copy(item, depth + 1);
  };
  return copy(value, 0);
}
