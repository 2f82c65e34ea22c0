const units: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** A size in bytes: `1024`, `"1kb"`, `"1.5 mb"`. The declaration check has rejected anything else. */
export function toBytes(size: number | string): number {
  if (typeof size === "number") return size;
  const [, amount, unit = "b"] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(size) ?? [];
  return Math.floor(Number(amount) * (units[unit.toLowerCase()] ?? 1));
}
