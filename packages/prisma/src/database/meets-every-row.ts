import { isPlainObject } from "@servicekit/core/internal";
/**
 * Whether a condition has no effect, or a part of it, such as `{}`, `{ AND: [] }`, `{ NOT: {} }`, `{ id: {} }` or `{
 * OR: [{}] }`. Prisma reads most of them as every row; an empty member of an `OR` it ignores. `{ OR: [] }` is
 * different: it matches no row.
 */
export function meetsEveryRow(condition: unknown): boolean {
  if (Array.isArray(condition)) return condition.every(meetsEveryRow);
  if (!isPlainObject(condition)) return false;
  return Object.entries(condition).every(([key, value]) => {
    if (key === "OR") return Array.isArray(value) ? value.some(meetsEveryRow) : meetsEveryRow(value);
    if (key === "mode") return value === "insensitive" || value === "default";
    if (key === "NOT") return meetsEveryRow(value);
    if (key === "notIn") return Array.isArray(value) && value.length === 0;
    if (key === "some" || key === "none" || key === "is" || key === "isNot") return false;
    return isPlainObject(value) || key === "AND" ? meetsEveryRow(value) : false;
  });
}
