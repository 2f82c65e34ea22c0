import { isPlainText, isShortNumber, plainTextRule } from "@servicekit/prisma/internal";
import { z } from "zod";

/**
 * Any JSON value that the database returns unchanged (contract C12). The ORM rounds long numbers that are alone or
 * anywhere in a list of JSON values; inside an object or array it preserves them.
 */
export function jsonSchema(isInList: boolean): z.ZodType {
  return z.unknown().superRefine((input, context) => {
    const complain = (message: string): void => context.addIssue({ code: "custom", message });
    if (input === undefined) context.addIssue({ code: "invalid_type", expected: "nonoptional", input });
    const open: unknown[] = [input];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value === "string" && !isPlainText(value)) complain(plainTextRule);
      else if (typeof value === "number" && !isStoredExactly(value, isInList || value === input)) {
        complain("A number has too many digits to be stored exactly. Send it as a string.");
      } else if (typeof value === "object" && value !== null) {
        for (const [key, item] of Object.entries(value)) open.push(key, item);
      }
    }
  });
}

function isStoredExactly(value: number, isRounded: boolean): boolean {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  return !isRounded || isShortNumber(value);
}
