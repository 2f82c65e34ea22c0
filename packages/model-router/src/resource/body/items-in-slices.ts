import { setImmediate } from "node:timers/promises";
import { maxErrors } from "@servicekit/core/internal";
import { z } from "zod";
import { addIssues, evaluateAll, type PassOn, passOnLater } from "./pass-on.js";

/** Number of items per slice. */
const sliceLength = 25;

/**
 * The schema of a list whose items are validated a few at a time, yielding to the event loop between slices, so that a
 * bulk of invalid items delays no other client (contract C59). Items after more errors than a response lists are not
 * validated.
 */
export function itemsInSlices(item: z.ZodType, passOn: PassOn): z.ZodType {
  const list = z.array(z.unknown()).min(1);
  return z.unknown().transform(async (input, context) => {
    const items = await passOnLater(list, input, context);
    if (!Array.isArray(items)) return z.NEVER;
    const made: unknown[] = [];
    for (let start = 0; start < items.length && context.issues.length <= maxErrors; start += sliceLength) {
      if (start > 0) await setImmediate();
      const slice = items.slice(start, start + sliceLength);
      const results = await evaluateAll(item, slice, passOn);
      results.forEach(({ value, issues }, index) => {
        made.push(value);
        addIssues(issues, context, [start + index]);
      });
    }
    return made;
  });
}
