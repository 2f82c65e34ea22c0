import { ormErrors } from "../errors/orm-errors.js";

/** Deeper than any argument that is made from a request within its limits. */
const deepest = 100;

/**
 * Refuses arguments that Prisma would take for less than they say: it leaves `undefined` out, so that
 * `{ where: { id: undefined } }` means every row.
 *
 * @throws {TypeError} for `undefined` anywhere: that is a mistake of the caller, not of a client.
 * @throws {HttpError} 400 for a key `__proto__`, a reference to a column in place of a value, and endless depth.
 */
export function checkArguments(args: object, keys: readonly ("where" | "data" | "cursor")[]): void {
  for (const key of keys) {
    if (Object.hasOwn(args, key)) check(Reflect.get(args, key), key, key !== "data", 0);
  }
}

function check(value: unknown, path: string, isCondition: boolean, depth: number): void {
  if (value === undefined) throw new TypeError(`${path} is undefined, which the ORM would silently leave out.`);
  if (typeof value !== "object" || value === null) return;
  if (depth > deepest) throw ormErrors.TooDeep();
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      check(item, `${path}[${index}]`, isCondition, depth + 1);
    });
    return;
  }
  if (!isPlainObject(value)) return;
  for (const key of Object.keys(value)) {
    if (key === "__proto__" || (isCondition && (key === "_ref" || key === "_container"))) {
      throw ormErrors.InvalidValue(`${key} is not accepted here.`);
    }
    check(value[key], `${path}.${key}`, isCondition, depth + 1);
  }
}

function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
