import { isObject } from "@servicekit/core/internal";
import { z } from "zod";
import { addIssues, evaluateAll, passOnLater } from "./pass-on.js";

const input = Symbol("servicekit.partialItem");

/** The schemas of an item that creates a row or updates one. */
interface ItemSchemas {
  /** A new row. */
  readonly row: z.ZodType;
  /** The changes of an existing row. */
  readonly changes: z.ZodType;
  /** The fields that find the existing row. */
  readonly key: z.ZodType;
  readonly keyNames: readonly string[];
}

/**
 * An item of a bulk upsert: a new row, or else the changes of an existing row with the key that finds it. Whether the row
 * exists is not known yet, so the input of such a partial item is stored with it.
 */
export function partialItem({ row, changes, key, keyNames }: ItemSchemas): z.ZodType {
  return z.unknown().transform(async (given, context) => {
    const [complete] = await evaluateAll(row, [given], passOnLater);
    if (complete === undefined || complete.issues.length === 0) return complete?.value;
    if (isObject(given)) {
      const part = (isKey: boolean) =>
        Object.fromEntries(Object.entries(given).filter(([name]) => keyNames.includes(name) === isKey));
      const results = [
        ...(await evaluateAll(changes, [part(false)], passOnLater)),
        ...(await evaluateAll(key, [part(true)], passOnLater)),
      ];
      if (results.every(({ issues }) => issues.length === 0)) {
        const values = results.map(({ value }) => value as object);
        return Object.defineProperty(Object.assign({}, ...values) as object, input, { value: given });
      }
    }
    addIssues(complete.issues, context, []);
    return z.NEVER;
  });
}

/** The input of a partial item, which is not a valid new row; `undefined` for another item. */
export const inputOfPartial = (item: object): unknown => (input in item ? item[input] : undefined);
