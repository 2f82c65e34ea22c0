import type { PassOn } from "@servicekit/resource";
import { roundedNumbers } from "@servicekit/router";
import { z } from "zod";

/**
 * Refuses JSON numbers that parsing has rounded already (contract C4).
 *
 * @param passOn hands everything else on to the schema: later, where that may have to wait
 */
export function exactNumbers(schema: z.ZodType, passOn: PassOn): z.ZodType {
  return z.unknown().transform((input, context) => {
    const rounded = roundedNumbers(input);
    if (rounded.length === 0) return passOn(schema, input, context);
    const message =
      "This number has more digits than a JSON number keeps, or is too close to zero; round it, or send it as a string where the field takes one.";
    for (const path of rounded) context.issues.push({ code: "custom", input, path: [...path], message });
    return z.NEVER;
  });
}
