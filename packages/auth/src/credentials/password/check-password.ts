import type { FieldFault } from "@servicekit/core";
import { httpErrors } from "@servicekit/core";
import { isPlainText, plainTextRule } from "@servicekit/prisma/internal";
import { z } from "zod";
import { isCommonPassword } from "./common-passwords.js";

/** bcrypt reads no further. */
const mostBytes = 72;
const fewestCharacters = 8;

/** What is wrong with a text as a new password, in words; `undefined` when nothing is (contract C27). */
export function passwordFault(password: string): string | undefined {
  const fault = plainTextFault(password) ?? lengthFault(password);
  if (fault !== undefined) return fault;
  return [...password].length < fewestCharacters ? `Expected at least ${fewestCharacters} characters.` : undefined;
}

/**
 * Reads a new password from a body.
 *
 * @throws {HttpError} 400 naming the field, for anything that is no text, and for a text that is too short, too long or
 *   one of the commonest passwords
 */
export async function readNewPassword(value: unknown, field: string): Promise<string> {
  const fault = typeof value === "string" ? await newPasswordFault(value) : "Expected a text.";
  if (fault === undefined) return value as string;
  const errors: FieldFault[] = [{ in: "body", path: `/${field}`, code: "InvalidPassword", message: fault }];
  throw httpErrors.ValidationError(undefined, { errors });
}

async function newPasswordFault(password: string): Promise<string | undefined> {
  const fault = passwordFault(password);
  if (fault !== undefined) return fault;
  return (await isCommonPassword(password)) ? "This is one of the commonest passwords; choose another one." : undefined;
}

/** A new password in a body; nothing is trimmed or changed. */
export const newPasswordSchema = z
  .string()
  .check(async ({ value, issues }) => {
    const message = await newPasswordFault(value);
    if (message !== undefined) issues.push({ code: "custom", input: value, message });
  })
  .meta({ format: "password", minLength: fewestCharacters, maxLength: mostBytes });

/** A password that is to be compared: whoever has one from before the rules may still sign in. */
export const passwordSchema = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    const message = plainTextFault(value) ?? lengthFault(value);
    if (message !== undefined) issues.push({ code: "custom", input: value, message });
  })
  .meta({ format: "password" });

function plainTextFault(value: string): string | undefined {
  return isPlainText(value) ? undefined : plainTextRule;
}

function lengthFault(password: string): string | undefined {
  return Buffer.byteLength(password) > mostBytes ? `Expected at most ${mostBytes} bytes.` : undefined;
}
