import { isPlainText, isShortNumber, plainTextRule } from "@servicekit/prisma/internal";
import { z } from "zod";

/**
 * Any JSON value that the database gives back as it came (contract C12). The ORM rounds long numbers that stand alone or
 * anywhere in a list of JSON values; inside an object or array it keeps them.
 */
export function jsonSchema(isInList: boolean): z.ZodType {
  return z.unknown().superRefine((input, context) => {
    const complain = (message: string): void => context.addIssue({ code: "custom", message });
    if (input === undefined) context.addIssue({ code: "invalid_type", expected: "nonoptional", input });
    const open: unknown[] = [input];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value === "string" && !isPlainText(value)) complain(plainTextRule);
      else if (typeof value === "number" && !isKeptExactly(value, isInList || value === input)) {
        complain("A number has too many digits to be kept exactly; send it as text.");
      } else if (typeof value === "object" && value !== null) {
        for (const [key, item] of Object.entries(value)) open.push(key, item);
      }
    }
  });
}

function isKeptExactly(value: number, isRounded: boolean): boolean {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  return !isRounded || isShortNumber(value);
}
