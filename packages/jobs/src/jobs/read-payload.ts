import { isPlainText } from "@servicekit/prisma/internal";
import type { z } from "zod";
import type { Job } from "./job.js";

/** The stored form of a payload. */
export interface StoredPayload {
  /** Missing for `undefined`. */
  readonly payload?: unknown;
}

/**
 * Returns the stored form of a payload.
 *
 * @throws {TypeError} that contains each issue, if JSON or PostgreSQL cannot represent the payload, or it is invalid
 */
export async function toStored(job: Job, given: unknown): Promise<StoredPayload> {
  const text = toJson(job, given);
  const payload: unknown = text === undefined ? undefined : JSON.parse(text);
  await readPayload(job, payload);
  return payload === undefined ? {} : { payload };
}

/**
 * Returns the validated payload of a stored job.
 *
 * @throws {TypeError} that contains each issue
 */
export async function readPayload(job: Job, payload: unknown): Promise<unknown> {
  const result = await job.payload.safeParseAsync(payload);
  if (result.success) return result.data;
  throw invalid(job, result.error.issues.map(toText).join("; "));
}

function toJson(job: Job, given: unknown): string | undefined {
  const isStorable = (key: string, value: unknown): unknown => {
    if (!isPlainText(key) || (typeof value === "string" && !isPlainText(value))) throw new TypeError(noText);
    return value;
  };
  try {
    return JSON.stringify(given, isStorable);
  } catch (error) {
    throw invalid(job, (error as Error).message);
  }
}

const noText = "A text contains the character U+0000 or an unpaired surrogate, which PostgreSQL cannot store.";

const invalid = (job: Job, reason: string): TypeError =>
  new TypeError(`The payload of the job ${job.name} is invalid: ${reason}`);

const toText = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
