/**
 * The approximate size of a value in a response in bytes, without writing it; stops at the limit.
 *
 * @returns more than `maxBytes` as soon as the value exceeds it
 */
export function sizeOf(value: unknown, maxBytes: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  if (ArrayBuffer.isView(value)) return (value.byteLength * 4) / 3;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 1 + sizeOf(item, maxBytes - size);
      if (size > maxBytes) break;
    }
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    for (const [name, item] of Object.entries(value)) {
      size += name.length + 4 + sizeOf(item, maxBytes - size);
      if (size > maxBytes) break;
    }
  } else size = 24;
  return size;
}
