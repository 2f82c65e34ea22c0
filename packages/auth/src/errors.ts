import { defineErrors, type HttpError } from "@servicekit/core";
import { passwordErrors } from "./credentials/password/password-errors.js";

/** The errors of authentication and access control. */
export const authErrors = Object.freeze({
  ...defineErrors({
    Unauthorized: { status: 401, message: "Sign in first." },
    InvalidToken: { status: 401, message: "The access token is invalid or expired. Sign in again." },
    InvalidCredentials: { status: 401, message: "The login name or the password is wrong." },
    AuthenticationRequired: { status: 403, message: "This requires an access token from a sign-in with a password." },
    Forbidden: { status: 403, message: "You do not have this permission." },
    CrossSiteRequest: {
      status: 403,
      message: "Requests with a cookie are rejected when they come from a page of another origin.",
    },
    InvalidMailToken: {
      status: 400,
      message: "The token is invalid or expired. Request a new one.",
      place: { in: "body", path: "/token" },
    },
    InvalidApiKey: { status: 401, message: "The API key is invalid, expired, or not allowed from this address." },
    InvalidRefreshToken: { status: 401, message: "The refresh token is invalid or expired. Sign in again." },
    IssuerUnavailable: { status: 503, message: "The keys of this token's issuer cannot be read." },
    TokensUnavailable: { status: 503, message: "The store of revoked tokens is unavailable." },
  }),
  ...passwordErrors,
});

const challenge = 'Bearer realm="api"';

/** A 401 has a challenge (RFC 9110, section 11.6.1; RFC 6750, section 3). */
const headersOf = (value: string) => ({ headers: { "WWW-Authenticate": value } });

/** The request is anonymous. */
export const unauthorized = (): HttpError => authErrors.Unauthorized(undefined, headersOf(challenge));

/** A token was rejected; the reason is never returned. */
export const invalidToken = (cause?: unknown): HttpError =>
  authErrors.InvalidToken(undefined, { ...headersOf(`${challenge}, error="invalid_token"`), cause });

/** A refresh token is missing or was rejected; the reason is never returned. */
export const invalidRefreshToken = (): HttpError => authErrors.InvalidRefreshToken(undefined, headersOf(challenge));

/** An API key was rejected; the reason is never returned. */
export const invalidApiKey = (): HttpError =>
  authErrors.InvalidApiKey(undefined, headersOf(`${challenge}, error="invalid_token"`));

/** The message of a 401 without a token. */
export const challenged = headersOf(challenge);

/** The common response to an unknown user and to a wrong password (contract C26). */
export const invalidCredentials = (): HttpError => authErrors.InvalidCredentials(undefined, challenged);
