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
    const message = "This number has more digits than a JSON number keeps; send it as a string.";
    for (const path of rounded) context.issues.push({ code: "custom", input, path: [...path], message });
    // A rounded number is reported as such, whatever the schema says of it.
    const isRounded = ({ path = [] }: z.core.$ZodRawIssue): boolean =>
      rounded.some((at) => at.length === path.length && at.every((segment, index) => segment === path[index]));
    const forgetRounded = (): typeof z.NEVER => {
      const others = context.issues.splice(rounded.length).filter((issue) => !isRounded(issue));
      context.issues.push(...others);
      return z.NEVER;
    };
    const passed = passOn(schema, input, context);
    return passed instanceof Promise ? passed.then(forgetRounded) : forgetRounded();
  });
}
