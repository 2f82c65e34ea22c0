import { isPlainObject } from "@servicekit/core/internal";
/**
 * Whether a condition restricts nothing, or a part of it says nothing, such as `{}`, `{ AND: [] }`, `{ NOT: {} }`,
 * `{ id: {} }` or `{ OR: [{}] }`. Prisma takes most of them for every row; an empty member of an `OR` it leaves out,
 * which is not what it says. `{ OR: [] }` is none of these: it meets no row.
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
