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

/** Like {@link passOn}, for a schema that may be asynchronous: one with a module's schema. */
export async function passOnLater(
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): Promise<unknown> {
  const { value, issues } = await evaluate(schema, input);
  if (issues.length === 0) return value;
  addIssues(issues, context, at);
  return z.NEVER;
}

/** Parses with another schema; its issues become those of the context. @param at the place of the input there */
export function passOn(
  schema: z.ZodType,
  input: unknown,
  context: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): unknown {
  const { value, issues } = evaluateNow(schema, input);
  if (issues.length === 0) return value;
  addIssues(issues, context, at);
  return z.NEVER;
}

/** The output of a schema for a value. */
interface Evaluation {
  readonly value: unknown;
  /** In the order of the schema that each belongs to. */
  readonly issues: readonly Issue[];
}

/** Validates a value with a synchronous schema, which is several times as fast. */
function evaluateNow(schema: z.ZodType, input: unknown): Evaluation {
  const payload = schema._zod.run({ value: input, issues: [] }, { async: false });
  if (payload instanceof Promise) throw new z.core.$ZodAsyncError();
  return payload;
}

/** Validates values with a schema: synchronously, or asynchronously if `passOn` has to. */
export function evaluateAll(
  schema: z.ZodType,
  inputs: readonly unknown[],
  passOn: PassOn,
): readonly Evaluation[] | Promise<readonly Evaluation[]> {
  if (passOn === passOnLater) return Promise.all(inputs.map((input) => evaluate(schema, input)));
  return inputs.map((input) => evaluateNow(schema, input));
}

async function evaluate(schema: z.ZodType, input: unknown): Promise<Evaluation> {
  const { value, issues } = await schema._zod.run({ value: input, issues: [] }, { async: true });
  return { value, issues: inSchemaOrder(issues, schema) };
}

/** Adds issues of an inner schema at a place of the outer one, which ends it. */
export function addIssues(issues: readonly Issue[], context: z.RefinementCtx, at: readonly PropertyKey[]): void {
  for (const issue of issues)
    context.issues.push({ ...issue, continue: false, path: [...at, ...(issue.path ?? [])] } as Issue as never);
}
