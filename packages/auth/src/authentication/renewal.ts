import type { IncomingMessage } from "node:http";
import { identityOf } from "@servicekit/router";
import type { Request, Response } from "express";
import { invalidToken } from "../errors.js";
import type { Authenticator } from "./authenticator.js";

const renewal = Symbol("servicekit.renewal");

/** Whether the credential of a request is checked again, which is no new request. */
export const isRenewal = (request: IncomingMessage): boolean => renewal in request;

/**
 * Authenticates the caller of an open request again, with the same credential. Anonymous requests stay anonymous.
 *
 * @returns an object with the properties of the request and its present caller
 * @throws {HttpError} 401 if the credential is no longer accepted, or belongs to another caller
 */
export async function renewCaller(
  authenticator: Authenticator,
  request: Request,
  response: Response,
): Promise<Request> {
  const again = Object.create(request, { [renewal]: { value: true } }) as Request;
  const before = authenticator.signedInOf(request)?.caller;
  if (before === undefined) return again;
  const { caller } = await authenticator.require(again, response);
  if (identityOf(caller) !== identityOf(before) || caller.keyId !== before.keyId) throw invalidToken();
  return again;
}
