import type { ValidationIssue } from "@servicekit/core";
import type { Request, Response } from "express";
import { passwordSchema } from "../credentials/password/check-password.js";
import { authErrors, challenged } from "../errors.js";
import { makeWaitingClient } from "../limits/make-waiting-client.js";
import { accountOf, bodyOf, type EndpointContext } from "./endpoint.js";

const message = "The current password is wrong.";
const errors: readonly ValidationIssue[] = [{ in: "body", path: "/currentPassword", code: "WrongPassword", message }];

/** A token alone may be stolen, so changes that give access to an account also require the password (contract C28). */
export const wrongPassword = () => authErrors.InvalidCredentials(message, { ...challenged, errors });

/**
 * Checks the `currentPassword` of a body against the user of the session. Attempts are limited as in a login.
 *
 * @throws {HttpError} 401 naming the place if it is wrong, 429 after too many wrong ones
 */
export async function verifyPassword(request: Request, response: Response, context: EndpointContext): Promise<void> {
  const { record } = accountOf(request, context);
  const device = context.devices?.of(request);
  const isKnown = device?.isOf(record) === true;
  await context.failures.admit(
    request,
    response,
    isKnown ? { kind: "device", id: device.id } : { kind: "account", id: String(record.id) },
  );
  const given = passwordSchema.safeParse(bodyOf(request).currentPassword);
  const client = makeWaitingClient(request, response);
  if (!given.success || !(await context.hasher.verify(given.data, record.passwordHash, client))) throw wrongPassword();
}
