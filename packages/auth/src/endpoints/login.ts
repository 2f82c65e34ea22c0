import { createHash } from "node:crypto";
import { type FieldFault, httpErrors } from "@servicekit/errors";
import { makeRateLimiter, type RateLimitStore } from "@servicekit/router";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { refuseCrossSite } from "../cross-site.js";
import { invalidCredentials } from "../errors.js";
import { passwordSchema, plainTextSchema } from "../password/check-password.js";
import type { AuthSettings } from "../settings.js";
import { bodyOf, type Endpoint, type EndpointContext, giveToken } from "./endpoint.js";

/** `POST /auth/login`: one login name and the password for an access token (contract C26). */
export function loginEndpoint(context: EndpointContext, limitPerName: RequestHandler): Endpoint {
  const { settings, users, hasher, allowedOrigins } = context;
  const { allowedUsernames, sendAccessTokenThrough } = settings.login;
  return {
    method: "post",
    path: "/auth/login",
    act: "Login",
    body: makeLoginSchema(allowedUsernames),
    status: 200,
    givesToken: true,
    guards: [...(sendAccessTokenThrough === "response-only" ? [] : [ownSiteOnly(allowedOrigins)]), limitPerName],
    async run(request, response) {
      const { field, name, password } = readCredentials(request, allowedUsernames);
      const found = await users.findByLogin(field, name);
      // Always checked, so that an unknown name takes as long as a wrong password.
      const isRight = await hasher.verify(password, found?.passwordHash);
      if (found === undefined || !isRight || !found.isActive) throw invalidCredentials();
      await giveToken(await users.recordLogin(found), response, context);
    },
    documentation: {
      summary: "Log in",
      description: `Send the password and exactly one of: ${allowedUsernames.join(", ")}.`,
      errors: [
        { status: 401, code: "InvalidCredentials", description: "The login name or the password is wrong." },
        { status: 403, code: "CrossSiteRequest", description: "A page of a foreign origin sent the request." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords wait to be checked." },
      ],
    },
  };
}

/** Signing a browser in to somebody else's account is an attack too. */
function ownSiteOnly(allowedOrigins: ReadonlySet<string>): RequestHandler {
  return function ownSiteOnly(request, _response, next) {
    refuseCrossSite(request, allowedOrigins);
    next();
  };
}

function makeLoginSchema(names: readonly string[]): z.ZodType {
  const shape = Object.fromEntries(names.map((name) => [name, plainTextSchema.optional()]));
  return z.strictObject({ ...shape, password: passwordSchema }).check(({ value, issues }) => {
    const message = namesFault(value, names);
    if (message !== undefined) issues.push({ code: "custom", input: value, path: [names[0] ?? ""], message });
  });
}

function namesFault(body: object, names: readonly string[]): string | undefined {
  const given = names.filter((name) => Object.hasOwn(body, name) && Reflect.get(body, name) !== undefined);
  return given.length === 1
    ? undefined
    : `Expected ${names.length === 1 ? "a" : "exactly one"} login name: ${names.join(", ")}.`;
}

interface Credentials {
  readonly field: string;
  readonly name: string;
  readonly password: string;
}

/** Both are texts and nothing else, whatever the schema of a module lets through. */
function readCredentials(request: Request, names: readonly string[]): Credentials {
  const body = bodyOf(request);
  const faults: FieldFault[] = [];
  const fault = (field: string, message: string): void => {
    faults.push({ in: "body", path: `/${field}`, code: "invalid_type", message });
  };
  const [first = ""] = names;
  const several = namesFault(body, names);
  if (several !== undefined) fault(first, several);
  const field = names.find((name) => Object.hasOwn(body, name)) ?? first;
  const name = plainTextSchema.safeParse(body[field]);
  if (several === undefined && !name.success) fault(field, "Expected a text.");
  const password = passwordSchema.safeParse(body.password);
  if (!password.success) fault("password", password.error.issues[0]?.message ?? "Expected a text.");
  if (faults.length > 0 || !name.success || !password.success) {
    throw httpErrors.ValidationError(undefined, { errors: faults });
  }
  return { field, name: name.data, password: password.data };
}

/** What a limit of names needs besides the settings. */
export interface NameLimitOptions {
  readonly store: RateLimitStore | undefined;
  readonly onStoreError: (error: unknown) => void;
}

/**
 * Counts requests by the name of the account that they speak of, from whatever client they come (contract C32). Spellings
 * that somebody might take for the same name count as one.
 */
export function limitPerName(
  { windowMs, limit, message }: AuthSettings["rateLimit"],
  names: readonly string[],
  { store, onStoreError }: NameLimitOptions,
): RequestHandler {
  const nameOf = (request: Request): string | undefined => {
    const body = bodyOf(request);
    const given = names.map((name) => body[name]).find((value) => typeof value === "string");
    return given?.normalize("NFKC").toLowerCase().trim();
  };
  return makeRateLimiter({
    windowMs,
    limit,
    message,
    onStoreError,
    ...(store === undefined ? {} : { store }),
    skip: (request) => nameOf(request) === undefined,
    // A store should not hold what people are called, nor names of any length.
    keyOf: (request) =>
      createHash("sha256")
        .update(nameOf(request) ?? "")
        .digest("base64url"),
  });
}
