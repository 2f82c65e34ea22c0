import { momentText, PreciseDate } from "@servicekit/prisma/internal";
import type { UserRow } from "./user-store.js";

/** A user as an answer shows it: without the fields that are hidden, each value in the form of contract C4. */
export function showUser(user: UserRow, isHiddenName: (name: string) => boolean): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(user)) if (!isHiddenName(name)) shown[name] = toJsonValue(value);
  return shown;
}

interface DecimalLike {
  toFixed(): string;
}

/** Prisma's Decimal is known by its shape. */
const isDecimal = (value: object): value is DecimalLike =>
  "toFixed" in value && "decimalPlaces" in value && typeof value.toFixed === "function";

function toJsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) && !(value instanceof PreciseDate) ? null : momentText(value);
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  }
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (isDecimal(value)) return value.toFixed();
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJsonValue(inner)]));
}
