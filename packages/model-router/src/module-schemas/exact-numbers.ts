import { roundedNumbers } from "@servicekit/router/internal";
import { z } from "zod";
import type { PassOn } from "../resource/body/pass-on.js";

/**
 * Rejects JSON numbers that were rounded by parsing (contract C4).
 *
 * @param passOn passes everything else to the schema, possibly asynchronously
 */
export function exactNumbers(schema: z.ZodType, passOn: PassOn): z.ZodType {
  return z.unknown().transform((input, context) => {
    const rounded = roundedNumbers(input);
    if (rounded.length === 0) return passOn(schema, input, context);
    const message =
      "This number has more digits than a JSON number preserves, or is too close to zero. Round it, or send it as a string where the field accepts one.";
    for (const path of rounded) context.issues.push({ code: "custom", input, path: [...path], message });
    // A rounded number is reported as such, whatever the schema reports about it or about its parent.
    const isRounded = (path: readonly PropertyKey[]): boolean =>
      path.length > 0 && rounded.some((at) => path.every((segment, index) => String(segment) === at[index]));
    const forgetRounded = (): typeof z.NEVER => {
      const others = context.issues
        .splice(rounded.length)
        .flatMap((issue: z.core.$ZodRawIssue): z.core.$ZodRawIssue[] => {
          const { path = [] } = issue;
          if (issue.code !== "unrecognized_keys") return isRounded(path) ? [] : [issue];
          const keys = issue.keys.filter((key) => !isRounded([...path, key]));
          return keys.length === 0 ? [] : [{ ...issue, keys }];
        });
      context.issues.push(...others);
      return z.NEVER;
    };
    const passed = passOn(schema, input, context);
    return passed instanceof Promise ? passed.then(forgetRounded) : forgetRounded();
  });
}
