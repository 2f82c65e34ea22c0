import { composeHandlers, declareRoute, makeRateLimiter, type RateLimitStore, ServiceRouter } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { AuthHooks, AuthSchemas } from "./auth-module.js";
import { deleteMeEndpoint, getMeEndpoint, updateMeEndpoint } from "./endpoints/current-user.js";
import type { Endpoint, EndpointContext } from "./endpoints/endpoint.js";
import { endpointDocumentation } from "./endpoints/endpoint-documentation.js";
import { endpointHandlers, noStore } from "./endpoints/endpoint-handlers.js";
import { limitPerName, loginEndpoint } from "./endpoints/login.js";
import { logoutEndpoint } from "./endpoints/logout.js";
import {
  forgotPasswordEndpoint,
  resetPasswordEndpoint,
  sendToken,
  verifyEmailEndpoint,
} from "./endpoints/mail-endpoints.js";
import { signupEndpoint } from "./endpoints/signup.js";
import { updatePasswordEndpoint } from "./endpoints/update-password.js";
import type { UserModel } from "./users/user-model.js";
import type { UserRecord, UserRow } from "./users/user-store.js";

/** What the router of authentication is made from. */
export interface AuthRouterOptions {
  readonly context: EndpointContext;
  /** `undefined` for users that are no Prisma model. */
  readonly user: UserModel | undefined;
  readonly hooks: AuthHooks;
  /** Those of a module in place of those of this package. */
  readonly schemas: AuthSchemas & Required<Pick<AuthSchemas, "signup" | "updateMe">>;
  readonly show: (user: UserRow) => Record<string, unknown>;
  /** Makes the shared store of a limit; `undefined` counts in memory. */
  readonly makeStore: ((scope: string) => RateLimitStore) | undefined;
  /** Routes of the module, below `/auth`. */
  readonly moduleRouter: RequestHandler | undefined;
}

/** Makes the routes of authentication as ordinary declarations; mount it at `/api`, before the generated routes. */
export function makeAuthRouter(options: AuthRouterOptions): ServiceRouter {
  const { context, user, hooks, schemas, show } = options;
  const { settings, log } = context;
  const showsToken = settings.login.sendAccessTokenThrough !== "cookie-only";
  const limiter = limitPerClient(options);
  const router = ServiceRouter();
  if (options.moduleRouter !== undefined) router.use("/auth", options.moduleRouter);
  for (const endpoint of endpoints(options)) {
    const { method, path, act, authentication } = endpoint;
    const schema = (act === undefined ? undefined : schemas[schemaName(act)]) ?? endpoint.body;
    declareRoute(router, {
      method,
      config: {
        path,
        validation: { body: schema },
        ...(authentication === undefined ? {} : { authentication }),
      },
      handlers: endpointHandlers(endpoint, { hooks, log, show, showsToken }),
      origin: {
        place: `the authentication route ${method.toUpperCase()} ${path}`,
        resource: "auth",
        operation: operationName(endpoint),
        documentation: () => endpointDocumentation(endpoint, user, showsToken),
        ...(path.startsWith("/auth/") ? { rateLimit: limiter } : {}),
      },
    });
  }
  return router;
}

function endpoints({ context, schemas, makeStore }: AuthRouterOptions): readonly Endpoint[] {
  const { settings, users, mailer, log } = context;
  const limitOf = (scope: string, names: readonly string[]): RequestHandler =>
    limitPerName(settings.rateLimit, names, {
      store: makeStore?.(scope),
      onStoreError: (error) => log(error, "the store of the authentication rate limit is away"),
    });
  const canMail = mailer !== undefined && users.has.email;
  const canVerify = canMail && users.has.emailVerified;
  const verify = (user: UserRecord): void => sendToken("verify-email", user, context);
  return [
    loginEndpoint(context, limitOf("login-name", settings.login.allowedUsernames)),
    logoutEndpoint(context),
    signupEndpoint(context, { body: schemas.signup, ...(canVerify ? { onSignup: verify } : {}) }),
    updatePasswordEndpoint(context),
    getMeEndpoint(context),
    updateMeEndpoint(context, { body: schemas.updateMe, ...(canVerify ? { onNewEmail: verify } : {}) }),
    deleteMeEndpoint(context),
    ...(canMail
      ? [forgotPasswordEndpoint(context, limitOf("mail-address", ["email"])), resetPasswordEndpoint(context)]
      : []),
    ...(canVerify ? [verifyEmailEndpoint(context)] : []),
  ];
}

/** One budget for all routes below `/auth`, in place of the global one (contract C32). */
function limitPerClient({ context, makeStore }: AuthRouterOptions): RequestHandler {
  const { windowMs, limit, message } = context.settings.rateLimit;
  const limiter = makeRateLimiter({
    windowMs,
    limit,
    message,
    onStoreError: (error) => context.log(error, "the store of the authentication rate limit is away"),
    ...(makeStore === undefined ? {} : { store: makeStore("authentication") }),
  });
  // The first that every request below `/auth` meets: refusals are not to be kept either.
  return composeHandlers([noStore, limiter]);
}

const schemaName = (act: NonNullable<Endpoint["act"]>): keyof AuthSchemas =>
  (act.charAt(0).toLowerCase() + act.slice(1)) as keyof AuthSchemas;

function operationName({ act, path }: Endpoint): string {
  if (act !== undefined) return act.charAt(0).toLowerCase() + act.slice(1);
  return path.slice(path.lastIndexOf("/") + 1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
