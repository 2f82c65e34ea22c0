import { type HttpError, isHttpError } from "@servicekit/core";
import type { Schema } from "@servicekit/router";
import type { Request, Response } from "express";
import { makeWaitingClient } from "../limits/make-waiting-client.js";
import { readNewUser } from "../users/transform-users.js";
import type { UserRecord } from "../users/user-store.js";
import { bodyOf, type Endpoint, type EndpointContext, localsOf } from "./endpoint.js";
import { rejectTakenNames } from "./reject-taken-names.js";
import { sendNotice } from "./send-mail.js";

/** The side effects of a sign-up. */
export interface SignupOptions {
  readonly body: Schema;
  /** Called for each new user. */
  readonly onSignup?: (user: UserRecord) => void;
}

/**
 * `POST /auth/signup`: creates a user from the fields that users set themselves (contract C27). A silent one responds
 * the same whether or not a user has the address, and reports the result by email (contract C32).
 */
export function signupEndpoint(context: EndpointContext, { body, onSignup }: SignupOptions): Endpoint {
  const { users, hasher, names, settings } = context;
  const { silent } = settings.signup;
  const create = async (request: Request, response: Response): Promise<UserRecord> => {
    const { stored, password } = await readNewUser(bodyOf(request), names);
    const { password: _, ...data } = stored;
    const hash = await hasher.hash(password, makeWaitingClient(request, response));
    // After the hash, so that checking for a taken name costs as much as a sign-up.
    await rejectTakenNames(data, context);
    return users.create(data, hash);
  };
  return {
    method: "post",
    path: "/auth/signup",
    act: "Signup",
    body,
    status: silent ? 204 : 201,
    async run(request, response) {
      try {
        const created = await create(request, response);
        if (!silent) response.location(`${request.baseUrl}/users/me`);
        localsOf(response).data = created.user;
        onSignup?.(created);
      } catch (error) {
        if (!silent || !isOfEmail(error)) throw error;
        const known = await names.find(String(bodyOf(request).email), (address) => users.findByEmail(address));
        if (known?.isActive === true) sendNotice("account-exists", known, context);
      }
    },
    documentation: {
      summary: "Sign up",
      description: silent
        ? "Sends an email to the address. The response is the same whether or not a user has this address."
        : "Creates a user from the fields that users may set themselves. Permissions are not among them.",
      errors: [
        { status: 409, code: "UniqueConstraint", description: "Another user has the same values." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords are queued for hashing." },
      ],
    },
  };
}

function isOfEmail(error: unknown): error is HttpError {
  return isHttpError(error) && error.status === 409 && error.errors?.some(({ path }) => path === "/email") === true;
}
