import { setImmediate } from "node:timers/promises";
import { maxErrors } from "@servicekit/core/internal";
import { z } from "zod";
import { addIssues, judgeAll, type PassOn, passOnLater } from "./pass-on.js";

/** How many items are checked at once. */
const sliceLength = 25;

/**
 * The schema of a list whose items are checked a few at a time: between the slices the event loop is given back, so that
 * a bulk of bad items delays no other client (contract C59). Items after more errors than a response lists are not checked.
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
      const results = await judgeAll(item, slice, passOn);
      results.forEach(({ value, issues }, index) => {
        made.push(value);
        addIssues(issues, context, [start + index]);
      });
    }
    return made;
  });
}
