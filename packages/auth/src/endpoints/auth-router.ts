import { type AuthenticationConfig, ServiceRouter } from "@servicekit/router";
import { composeHandlers, declareRoute, makeRateLimiter, toAuthentication } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { ownSiteOnly } from "../authentication/cross-site.js";
import type { CountsOptions } from "../limits/make-counts.js";
import type { AuthHooks, AuthRights, AuthSchemas } from "../module/auth-module.js";
import { type AuthOperation, authActions } from "../module/module-kind.js";
import { rolesOf, type UserModel } from "../users/user-model.js";
import type { UserRecord, UserRow } from "../users/user-store.js";
import { deleteMeEndpoint, getMeEndpoint, updateMeEndpoint } from "./current-user.js";
import type { Endpoint, EndpointContext } from "./endpoint.js";
import { endpointDocumentation } from "./endpoint-documentation.js";
import { endpointHandlers, noStore } from "./endpoint-handlers.js";
import { keyEndpoints } from "./key-endpoints.js";
import { loginEndpoint } from "./login.js";
import { logoutEndpoint } from "./logout.js";
import { forgotPasswordEndpoint, resetPasswordEndpoint, verifyEmailEndpoint } from "./mail-endpoints.js";
import { sendToken } from "./send-mail.js";
import { sessionEndpoints } from "./session-endpoints.js";
import { signupEndpoint } from "./signup.js";
import { updatePasswordEndpoint } from "./update-password.js";

/** The options of the authentication router. */
export interface AuthRouterOptions {
  readonly context: EndpointContext;
  /** `undefined` for users that are not a Prisma model. */
  readonly user: UserModel | undefined;
  readonly hooks: AuthHooks;
  readonly rights: AuthRights;
  /** Those of a module instead of the defaults. */
  readonly schemas: AuthSchemas & Required<Pick<AuthSchemas, "signup" | "updateMe">>;
  readonly show: (user: UserRow) => Record<string, unknown>;
  /** The store of the rate limits. */
  readonly counts: CountsOptions;
  /** Routes of the module, below `/auth`. */
  readonly moduleRouter: RequestHandler | undefined;
}

/** Creates the authentication routes as ordinary declarations; mount it at `/api`, before the generated routes. */
export function makeAuthRouter(options: AuthRouterOptions): ServiceRouter {
  const { context, user, hooks, schemas, show } = options;
  const { settings, log } = context;
  const showsToken = settings.login.sendAccessTokenThrough !== "cookie-only";
  const shown = { showsToken, hasSessions: context.sessions !== undefined };
  const limiter = limitPerClient(options);
  const router = ServiceRouter();
  if (options.moduleRouter !== undefined) router.use("/auth", options.moduleRouter);
  for (const endpoint of endpoints(options).map((one) => onOwnPages(one, context))) {
    const { method, path, act } = endpoint;
    const authentication = authenticationOf(endpoint, options.rights);
    const isBelowAuth = path.startsWith("/auth/");
    const schema = (act === undefined ? undefined : schemas[schemaName(act)]) ?? endpoint.body;
    declareRoute(router, {
      method,
      config: {
        path,
        validation: { body: schema },
        ...(isBelowAuth && endpoint.body !== false ? { bodyParser: smallBodies } : {}),
        ...(authentication === undefined ? {} : { authentication }),
      },
      handlers: endpointHandlers(endpoint, { hooks, log, show, showsToken }),
      origin: {
        place: `the authentication route ${method.toUpperCase()} ${path}`,
        resource: "auth",
        operation: operationName(endpoint),
        documentation: () => endpointDocumentation(endpoint, user, shown),
        ...(isBelowAuth && limiter !== undefined ? { rateLimit: limiter } : {}),
      },
    });
  }
  return router;
}

/** Sign-in bodies are never longer, and anonymous clients send them (contract C59). */
const smallBodies = [{ parser: "json", options: { limit: 16 * 1024 } }] as const;

/** Requests that set cookies are rejected for pages of other origins, whatever credentials they have (contract C31). */
function onOwnPages(endpoint: Endpoint, { settings, allowedOrigins }: EndpointContext): Endpoint {
  if (endpoint.givesToken !== true || settings.login.sendAccessTokenThrough === "response-only") return endpoint;
  const { guards = [], documentation } = endpoint;
  return {
    ...endpoint,
    guards: [ownSiteOnly(allowedOrigins), ...guards],
    documentation: { ...documentation, errors: [...(documentation.errors ?? []), fromForeignPage] },
  };
}

const fromForeignPage = {
  status: 403,
  code: "CrossSiteRequest",
  description: "The request was sent by a page of another origin.",
} as const;

function endpoints({ context, schemas, user }: AuthRouterOptions): readonly Endpoint[] {
  const { users, mailer } = context;
  const canMail = mailer !== undefined && users.has.email;
  const canVerify = canMail && users.has.emailVerified;
  const verify = (user: UserRecord): void => sendToken("verify-email", user, context);
  return [
    loginEndpoint(context),
    logoutEndpoint(context),
    signupEndpoint(context, { body: schemas.signup, ...(canVerify ? { onSignup: verify } : {}) }),
    updatePasswordEndpoint(context),
    getMeEndpoint(context),
    updateMeEndpoint(context, { body: schemas.updateMe, ...(canVerify ? { onNewEmail: verify } : {}) }),
    deleteMeEndpoint(context),
    ...sessionEndpoints(context),
    ...keyEndpoints(context, user && rolesOf(user)),
    ...(canMail ? [forgotPasswordEndpoint(context), resetPasswordEndpoint(context)] : []),
    ...(canVerify ? [verifyEmailEndpoint(context)] : []),
  ];
}

/** One limit for all routes below `/auth`, in place of the global one (contract C32). */
function limitPerClient({
  context,
  counts: { makeStore, onStoreError },
}: AuthRouterOptions): RequestHandler | undefined {
  const { counts, windowMs, limit, message } = context.settings.rateLimit;
  if (!counts) return undefined;
  const limiter = makeRateLimiter({
    windowMs,
    limit,
    message,
    onStoreError,
    ...(makeStore === undefined ? {} : { store: makeStore("authentication") }),
  });
  // The first handler of every request below `/auth`, so that error responses are not cached either.
  return composeHandlers([noStore, limiter]);
}

/** The module's access setting, or the route's default. */
function authenticationOf({ act, authentication }: Endpoint, rights: AuthRights): AuthenticationConfig | undefined {
  const operation = act === undefined ? undefined : schemaName(act);
  if (operation === undefined || !isAuthOperation(operation) || rights[operation] === undefined) return authentication;
  const right = { resource: "auth", action: authActions[operation] };
  return toAuthentication(rights[operation], right, authentication ?? false);
}

const isAuthOperation = (name: string): name is AuthOperation => Object.hasOwn(authActions, name);

const schemaName = (act: NonNullable<Endpoint["act"]>): keyof AuthSchemas =>
  (act.charAt(0).toLowerCase() + act.slice(1)) as keyof AuthSchemas;

function operationName({ act, operation, path }: Endpoint): string {
  if (operation !== undefined) return operation;
  if (act !== undefined) return act.charAt(0).toLowerCase() + act.slice(1);
  return path.slice(path.lastIndexOf("/") + 1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
