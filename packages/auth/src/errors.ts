import { defineErrors, type HttpError } from "@servicekit/core";
import { passwordErrors } from "./credentials/password/password-errors.js";

/** What can go wrong in signing in and in access control. */
export const authErrors = Object.freeze({
  ...defineErrors({
    Unauthorized: { status: 401, message: "Sign in first." },
    InvalidToken: { status: 401, message: "The access token is not valid, or no longer; sign in again." },
    InvalidCredentials: { status: 401, message: "The login name or the password is wrong." },
    SignInNeeded: { status: 403, message: "Only who has signed in may do this: with a password, for an access token." },
    Forbidden: { status: 403, message: "You may not do this." },
    CrossSiteRequest: { status: 403, message: "A page of another origin may not do this with your cookie." },
    InvalidMailToken: {
      status: 400,
      message: "The token is not valid, or no longer; ask for a new one.",
      place: { in: "body", path: "/token" },
    },
    InvalidApiKey: { status: 401, message: "The API key is not valid, or not here, or no longer." },
    InvalidRefreshToken: { status: 401, message: "The refresh token is not valid, or no longer; sign in again." },
    IssuerUnavailable: { status: 503, message: "The keys of the issuer of this token cannot be read." },
    TokensUnavailable: { status: 503, message: "The store of revoked tokens is not available." },
  }),
  ...passwordErrors,
});

const challenge = 'Bearer realm="api"';

/** A 401 says how to sign in (RFC 9110, section 11.6.1; RFC 6750, section 3). */
const headersOf = (value: string) => ({ headers: { "WWW-Authenticate": value } });

/** Nobody has signed in. */
export const unauthorized = (): HttpError => authErrors.Unauthorized(undefined, headersOf(challenge));

/** A token was sent that is not accepted; why is never told. */
export const invalidToken = (cause?: unknown): HttpError =>
  authErrors.InvalidToken(undefined, { ...headersOf(`${challenge}, error="invalid_token"`), cause });

/** A refresh token was sent that is not accepted, or none; why is never told. */
export const invalidRefreshToken = (): HttpError => authErrors.InvalidRefreshToken(undefined, headersOf(challenge));

/** An API key was sent that is not accepted; why is never told. */
export const invalidApiKey = (): HttpError =>
  authErrors.InvalidApiKey(undefined, headersOf(`${challenge}, error="invalid_token"`));

/** What a 401 without a token says. */
export const challenged = headersOf(challenge);

/** The one answer to an unknown user and to a wrong password (contract C26). */
export const invalidCredentials = (): HttpError => authErrors.InvalidCredentials(undefined, challenged);
