import { z } from "zod";

/** Parses with another schema; its issues become those of the context. */
export type PassOn = (
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at?: readonly PropertyKey[],
) => unknown;

type Issue = z.core.$ZodRawIssue;

/** Like {@link passOn}, for a schema that may have to wait: one with a module's schema in it. */
export async function passOnLater(
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): Promise<unknown> {
  const { value, issues } = await judge(schema, input);
  if (issues.length === 0) return value;
  // Items that had to wait tell their faults last.
  addIssues(
    issues.toSorted((a, b) => indexOf(a) - indexOf(b)),
    context,
    at,
  );
  return z.NEVER;
}

/** Parses with another schema; its issues become those of the context. @param at where the input stands there */
export function passOn(
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): unknown {
  const payload = schema._zod.run({ value: input, issues: [] }, { async: false });
  if (payload instanceof Promise) throw new z.core.$ZodAsyncError();
  if (payload.issues.length === 0) return payload.value;
  addIssues(payload.issues, context, at);
  return z.NEVER;
}

/** What a schema makes of a value, and its issues as they were found: each knows the schema that it is of. */
export async function judge(
  schema: z.ZodType,
  input: unknown,
): Promise<{ readonly value: unknown; readonly issues: readonly Issue[] }> {
  return schema._zod.run({ value: input, issues: [] }, { async: true });
}

const indexOf = ({ path: [first] = [] }: Issue): number => (typeof first === "number" ? first : -1);

/** Adds issues of an inner schema, which end the outer one, at a place there. */
export function addIssues(issues: readonly Issue[], context: z.RefinementCtx, at: readonly PropertyKey[]): void {
  for (const issue of issues)
    context.issues.push({ ...issue, continue: false, path: [...at, ...(issue.path ?? [])] } as Issue as never);
}
