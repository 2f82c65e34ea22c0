import { type HttpError, isHttpError } from "@servicekit/core";
import type { Schema } from "@servicekit/router";
import type { Request, Response } from "express";
import { waitingClient } from "../limits/waiting-client.js";
import { readNewUser } from "../users/transform-users.js";
import type { UserRecord } from "../users/user-store.js";
import { bodyOf, type Endpoint, type EndpointContext, localsOf } from "./endpoint.js";
import { refuseTakenNames } from "./refuse-taken-names.js";
import { sendNotice } from "./send-mail.js";

/** What a signup does besides. */
export interface SignupOptions {
  readonly body: Schema;
  /** Is told of each new user. */
  readonly onSignup?: (user: UserRecord) => void;
}

/**
 * `POST /auth/signup`: makes a user out of the fields that users set of themselves (contract C27). A silent one answers
 * alike whether a user has the address or nobody, and tells it by mail (contract C32).
 */
export function signupEndpoint(context: EndpointContext, { body, onSignup }: SignupOptions): Endpoint {
  const { users, hasher, names, settings } = context;
  const { silent } = settings.signup;
  const create = async (request: Request, response: Response): Promise<UserRecord> => {
    const { kept, password } = await readNewUser(bodyOf(request), names);
    const { password: _, ...data } = kept;
    const hash = await hasher.hash(password, waitingClient(request, response));
    // After the hash: whoever asks what is taken pays as much as whoever signs up.
    await refuseTakenNames(data, context);
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
        ? "Sends a mail to the address. The answer is the same whether a user has it or nobody."
        : "Makes a user of what users set of themselves: no right is among it.",
      errors: [
        { status: 409, code: "UniqueConstraint", description: "Another user has the same values." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords wait to be hashed." },
      ],
    },
  };
}

function isOfEmail(error: unknown): error is HttpError {
  return isHttpError(error) && error.status === 409 && error.errors?.some(({ path }) => path === "/email") === true;
}
