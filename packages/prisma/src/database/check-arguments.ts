import { isPlainObject } from "@servicekit/core/internal";
import { ormErrors } from "../errors/orm-errors.js";

/** Deeper than any argument of a request within its limits. */
const deepest = 100;

/**
 * Rejects arguments that Prisma would misinterpret: it ignores `undefined`, so that `{ where: { id: undefined } }`
 * means every row.
 *
 * @throws {TypeError} for `undefined` anywhere, which is a bug of the caller.
 * @throws {HttpError} 400 for a key `__proto__`, a reference to a column in place of a value, and unlimited depth.
 */
export function checkArguments(args: object, keys: readonly ("where" | "data" | "cursor")[]): void {
  for (const key of keys) {
    if (Object.hasOwn(args, key)) check(Reflect.get(args, key), [key], key !== "data");
  }
}

/** `path` is one list that grows and shrinks, because a bulk has too many values to copy it. */
function check(value: unknown, path: (string | number)[], isCondition: boolean): void {
  if (value === undefined) throw new TypeError(`${path.join(".")} is undefined, which the ORM would silently ignore.`);
  if (typeof value !== "object" || value === null) return;
  if (path.length > deepest) throw ormErrors.TooDeep();
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) checkAt(value[index], index, path, isCondition);
    return;
  }
  if (!isPlainObject(value)) return;
  for (const key of Object.keys(value)) {
    if (key === "__proto__" || (isCondition && (key === "_ref" || key === "_container"))) {
      throw ormErrors.InvalidValue(`${key} is not allowed here.`);
    }
    checkAt(value[key], key, path, isCondition);
  }
}

function checkAt(value: unknown, key: string | number, path: (string | number)[], isCondition: boolean): void {
  path.push(key);
  check(value, path, isCondition);
  path.pop();
}
