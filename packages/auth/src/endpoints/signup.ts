import type { Schema } from "@servicekit/router";
import { readNewPassword } from "../password/check-password.js";
import type { UserRecord } from "../users/user-store.js";
import { bodyOf, type Endpoint, type EndpointContext, localsOf } from "./endpoint.js";

/** What a signup does besides. */
export interface SignupOptions {
  readonly body: Schema;
  /** Is told of each new user. */
  readonly onSignup?: (user: UserRecord) => void;
}

/** `POST /auth/signup`: makes a user out of the fields that users set of themselves (contract C27). */
export function signupEndpoint({ users, hasher }: EndpointContext, { body, onSignup }: SignupOptions): Endpoint {
  return {
    method: "post",
    path: "/auth/signup",
    act: "Signup",
    body,
    status: 201,
    async run(request, response) {
      const { password, ...data } = bodyOf(request);
      const hash = await hasher.hash(readNewPassword(password, "password"));
      const created = await users.create(data, hash);
      response.location(`${request.baseUrl}/users/me`);
      localsOf(response).data = created.user;
      onSignup?.(created);
    },
    documentation: {
      summary: "Sign up",
      errors: [
        { status: 409, code: "UniqueConstraint", description: "Another user has the same values." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords wait to be hashed." },
      ],
    },
  };
}
