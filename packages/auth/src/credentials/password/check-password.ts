import type { ValidationIssue } from "@servicekit/core";
import { httpErrors } from "@servicekit/core";
import { isPlainText, plainTextRule } from "@servicekit/prisma/internal";
import { z } from "zod";
import { isCommonPassword } from "./common-passwords.js";

/** bcrypt ignores everything after it. */
const maxBytes = 72;
const fewestCharacters = 8;

/** The issue of a new password, as a sentence; `undefined` if it is valid (contract C27). */
export function passwordIssue(password: string): string | undefined {
  const issue = plainTextIssue(password) ?? lengthIssue(password);
  if (issue !== undefined) return issue;
  return [...password].length < fewestCharacters ? `Expected at least ${fewestCharacters} characters.` : undefined;
}

/**
 * Reads a new password from a body.
 *
 * @throws {HttpError} 400 naming the field, for a value that is not a string, too short, too long or one of the most
 * common passwords
 */
export async function readNewPassword(value: unknown, field: string): Promise<string> {
  const issue = typeof value === "string" ? await newPasswordIssue(value) : "Expected a string.";
  if (issue === undefined) return value as string;
  const errors: ValidationIssue[] = [{ in: "body", path: `/${field}`, code: "InvalidPassword", message: issue }];
  throw httpErrors.ValidationError(undefined, { errors });
}

async function newPasswordIssue(password: string): Promise<string | undefined> {
  const issue = passwordIssue(password);
  if (issue !== undefined) return issue;
  return (await isCommonPassword(password))
    ? "This is one of the most common passwords. Choose another one."
    : undefined;
}

/** A new password in a body; nothing is trimmed or changed. */
export const newPasswordSchema = z
  .string()
  .check(async ({ value, issues }) => {
    const message = await newPasswordIssue(value);
    if (message !== undefined) issues.push({ code: "custom", input: value, message });
  })
  .meta({ format: "password", minLength: fewestCharacters, maxLength: maxBytes });

/** A password to compare: one from before the rules must still work. */
export const passwordSchema = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    const message = plainTextIssue(value) ?? lengthIssue(value);
    if (message !== undefined) issues.push({ code: "custom", input: value, message });
  })
  .meta({ format: "password" });

function plainTextIssue(value: string): string | undefined {
  return isPlainText(value) ? undefined : plainTextRule;
}

function lengthIssue(password: string): string | undefined {
  return Buffer.byteLength(password) > maxBytes ? `Expected at most ${maxBytes} bytes.` : undefined;
}
