/**
 * Whether a condition certainly restricts nothing, such as `{}`, `{ AND: [] }`, `{ NOT: {} }`, `{ id: {} }` or
 * `{ OR: [{}] }`. Prisma takes each of them for every row; `{ OR: [] }` it takes for none.
 */
export function meetsEveryRow(condition: unknown): boolean {
  if (Array.isArray(condition)) return condition.every(meetsEveryRow);
  if (!isPlain(condition)) return false;
  return Object.entries(condition).every(([key, value]) => {
    if (key === "OR") return Array.isArray(value) ? value.some(meetsEveryRow) : meetsEveryRow(value);
    if (key === "mode") return value === "insensitive" || value === "default";
    if (key === "NOT") return meetsEveryRow(value);
    if (key === "notIn") return Array.isArray(value) && value.length === 0;
    if (key === "some" || key === "none" || key === "is" || key === "isNot") return false;
    return isPlain(value) || key === "AND" ? meetsEveryRow(value) : false;
  });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
