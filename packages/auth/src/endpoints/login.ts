import { httpErrors, type ValidationIssue } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { passwordSchema } from "../credentials/password/check-password.js";
import { invalidCredentials } from "../errors.js";
import { countedName } from "../limits/counted-name.js";
import { makeWaitingClient } from "../limits/make-waiting-client.js";
import type { UserRecord } from "../users/user-store.js";
import { bodyOf, type Endpoint, type EndpointContext, giveToken } from "./endpoint.js";
import { plainTextSchema } from "./plain-text.js";

/** `POST /auth/login`: one login name and the password for an access token (contract C26). */
export function loginEndpoint(context: EndpointContext): Endpoint {
  const { settings, users, hasher, devices, failures } = context;
  const { allowedUsernames } = settings.login;
  return {
    method: "post",
    path: "/auth/login",
    act: "Login",
    body: makeLoginSchema(allowedUsernames),
    status: 200,
    givesToken: true,
    guards: [limitFailures(context)],
    async run(request, response) {
      const { field, name, password } = readCredentials(request, allowedUsernames);
      const found = await findByLogin(context, field, name);
      if (found === undefined) await failures.admit(request, response, { kind: "unknown", id: countedName(name) });
      else if (devices?.of(request)?.isOf(found) !== true)
        await failures.admit(request, response, { kind: "account", id: String(found.id) });
      // Always checked, so that an unknown name takes as long as a wrong password.
      const isRight = await hasher.verify(password, found?.passwordHash, makeWaitingClient(request, response));
      if (found === undefined || !isRight || !maySignIn(found, context)) throw invalidCredentials();
      await giveToken(await users.recordLogin(found), request, response, context);
    },
    documentation: {
      summary: "Log in",
      description: `Send the password and exactly one of: ${allowedUsernames.join(", ")}.`,
      errors: [
        { status: 401, code: "InvalidCredentials", description: "The login name or the password is wrong." },
        { status: 503, code: "TooManyPasswords", description: "Too many passwords are queued for checking." },
      ],
    },
  };
}

const findByLogin = ({ users, names }: EndpointContext, field: string, name: string): Promise<UserRecord | undefined> =>
  names.find(name, (spelling) => users.findByLogin(field, spelling));

/** If sign-up hides whether an address is known, a client without access to the address learns nothing. */
function maySignIn({ isActive, emailVerified }: UserRecord, { settings }: EndpointContext): boolean {
  return isActive && (!settings.signup.silent || emailVerified === true);
}

/**
 * Attempts are limited by the name and by the network, but not for a device that the user has signed in with (contract
 * C60). The account is counted when it is read: a collation may find it by many names.
 */
function limitFailures(context: EndpointContext): RequestHandler {
  const { settings, devices, failures } = context;
  return async function limitFailures(request, response, next) {
    const { field, name } = givenName(request, settings.login.allowedUsernames);
    if (typeof name !== "string") return next();
    const device = devices?.of(request);
    const user = device === undefined ? undefined : await findByLogin(context, field, name);
    const isKnown = device !== undefined && user !== undefined && device.isOf(user);
    await failures.admit(
      request,
      response,
      isKnown ? { kind: "device", id: device.id } : { kind: "name", id: countedName(name) },
    );
    next();
  };
}

function makeLoginSchema(names: readonly string[]): z.ZodType {
  const shape = Object.fromEntries(names.map((name) => [name, plainTextSchema.optional()]));
  return z
    .strictObject({ ...shape, password: passwordSchema })
    .refine((body) => namesIssue(body, names) === undefined, {
      path: [names[0] ?? ""],
      error: ({ input }) => namesIssue(input as object, names),
      // Also if another value is invalid: all errors are reported together.
      when: ({ value }) => typeof value === "object" && value !== null,
    });
}

function namesIssue(body: object, names: readonly string[]): string | undefined {
  const given = names.filter((name) => Object.hasOwn(body, name) && Reflect.get(body, name) !== undefined);
  return given.length === 1
    ? undefined
    : `Expected ${names.length === 1 ? "a" : "exactly one"} login name: ${names.join(", ")}.`;
}

function givenName(request: Request, names: readonly string[]): { readonly field: string; readonly name: unknown } {
  const body = bodyOf(request);
  const field = names.find((name) => Object.hasOwn(body, name) && body[name] !== undefined) ?? names[0] ?? "";
  return { field, name: body[field] };
}

interface Credentials {
  readonly field: string;
  readonly name: string;
  readonly password: string;
}

/** Both must be strings, whatever the schema of a module allows. */
function readCredentials(request: Request, names: readonly string[]): Credentials {
  const body = bodyOf(request);
  const issues: ValidationIssue[] = [];
  const issue = (field: string, message: string): void => {
    issues.push({ in: "body", path: `/${field}`, code: "InvalidType", message });
  };
  const [first = ""] = names;
  const several = namesIssue(body, names);
  if (several !== undefined) issue(first, several);
  const given = givenName(request, names);
  const name = plainTextSchema.safeParse(given.name);
  if (several === undefined && !name.success) issue(given.field, "Expected a string.");
  const password = passwordSchema.safeParse(body.password);
  if (!password.success) issue("password", password.error.issues[0]?.message ?? "Expected a string.");
  if (issues.length > 0 || !name.success || !password.success) {
    throw httpErrors.ValidationError(undefined, { errors: issues });
  }
  return { field: given.field, name: name.data, password: password.data };
}
