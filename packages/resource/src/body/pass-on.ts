import { z } from "zod";

/** Parses with another schema; its issues become those of the context. */
export type PassOn = (
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at?: readonly PropertyKey[],
) => unknown;

/** Like {@link passOn}, for a schema that may have to wait: one with a module's schema in it. */
export async function passOnLater(
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): Promise<unknown> {
  const result = await schema.safeParseAsync(input);
  if (result.success) return result.data;
  // Items that had to wait tell their faults last.
  result.error.issues.sort((a, b) => indexOf(a) - indexOf(b));
  addIssues(result.error, context, at);
  return z.NEVER;
}

/** Parses with another schema; its issues become those of the context. @param at where the input stands there */
export function passOn(
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  addIssues(result.error, context, at);
  return z.NEVER;
}

const indexOf = ({ path: [first] }: z.core.$ZodIssue): number => (typeof first === "number" ? first : -1);

function addIssues(error: z.ZodError, context: z.RefinementCtx, at: readonly PropertyKey[]): void {
  const issues = error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }));
  context.issues.push(...(issues as typeof context.issues));
}
