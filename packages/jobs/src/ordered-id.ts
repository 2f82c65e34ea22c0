import { createHash } from "node:crypto";

/**
 * Returns a UUID of version 8 that follows from a number and a text. UUIDs of larger numbers are larger, as far as the
 * last 60 bits of the numbers differ.
 */
export function orderedId(position: bigint, scope: string): string {
  const ordered = (position & 0xfff_ffff_ffff_ffffn).toString(16).padStart(15, "0");
  const [a, b, c] = [ordered.slice(0, 8), ordered.slice(8, 12), ordered.slice(12)];
  const hash = createHash("sha256").update(scope).digest("hex");
  const variant = ((Number.parseInt(hash.slice(0, 1), 16) & 3) | 8).toString(16);
  return `${a}-${b}-8${c}-${variant}${hash.slice(1, 4)}-${hash.slice(4, 16)}`;
}
