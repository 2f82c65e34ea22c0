import { inSchemaOrder } from "@servicekit/core/schema";
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
  addIssues(issues, context, at);
  return z.NEVER;
}

/** Parses with another schema; its issues become those of the context. @param at where the input stands there */
export function passOn(
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): unknown {
  const { value, issues } = judgeNow(schema, input);
  if (issues.length === 0) return value;
  addIssues(issues, context, at);
  return z.NEVER;
}

/** What a schema makes of a value. */
interface Judgement {
  readonly value: unknown;
  /** As they were found: each knows the schema that it is of. */
  readonly issues: readonly Issue[];
}

/** Judges a value by a schema that never has to wait: so Zod is several times as fast. */
function judgeNow(schema: z.ZodType, input: unknown): Judgement {
  const payload = schema._zod.run({ value: input, issues: [] }, { async: false });
  if (payload instanceof Promise) throw new z.core.$ZodAsyncError();
  return payload;
}

/** Judges values by a schema: at once, or later where `passOn` has to. */
export function judgeAll(
  schema: z.ZodType,
  inputs: readonly unknown[],
  passOn: PassOn,
): readonly Judgement[] | Promise<readonly Judgement[]> {
  if (passOn === passOnLater) return Promise.all(inputs.map((input) => judge(schema, input)));
  return inputs.map((input) => judgeNow(schema, input));
}

async function judge(schema: z.ZodType, input: unknown): Promise<Judgement> {
  const { value, issues } = await schema._zod.run({ value: input, issues: [] }, { async: true });
  return { value, issues: inSchemaOrder(issues, schema) };
}

/** Adds issues of an inner schema, which end the outer one, at a place there. */
export function addIssues(issues: readonly Issue[], context: z.RefinementCtx, at: readonly PropertyKey[]): void {
  for (const issue of issues)
    context.issues.push({ ...issue, continue: false, path: [...at, ...(issue.path ?? [])] } as Issue as never);
}
