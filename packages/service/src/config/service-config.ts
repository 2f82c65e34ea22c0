import type { Server } from "node:http";
import type { AuthHooks, AuthRights, AuthSchemas } from "@servicekit/auth";
import type { AuthConfig } from "@servicekit/auth/settings";
import type { IdempotencyConfig } from "@servicekit/idempotency/settings";
import type { JobsConfig } from "@servicekit/jobs/settings";
import type { MailerSettings } from "@servicekit/mailer/settings";
import type { McpConfig } from "@servicekit/mcp/settings";
import type { ModelConfig, TenantConfig } from "@servicekit/model-router";
import type { ApiDocsConfig } from "@servicekit/openapi/settings";
import type { ModelsData, PrismaClientLike } from "@servicekit/prisma";
import type { makePostgresAdapter } from "@servicekit/prisma/postgres";
import type { CompressionOptions, JsonParserOptions, QueryParserConfig, RateLimitOptions } from "@servicekit/router";
import type { LoadSheddingConfig } from "@servicekit/server/settings";
import type { MetricsConfig } from "@servicekit/telemetry/settings";
import type { FileUploadModule } from "@servicekit/uploads";
import type { FileUploadConfig } from "@servicekit/uploads/settings";
import type { WebhooksConfig } from "@servicekit/webhooks/settings";
import type { CorsOptions } from "cors";
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response, Router } from "express";
import type { HelmetOptions } from "helmet";
import type { Logger } from "pino";
import type { CacheConfig } from "./cache.js";
import type { DebuggingConfig } from "./debugging.js";
import type { LimitsConfig } from "./limits.js";
import type { MiddlewareAlias, MiddlewareName, RouterName } from "./names.js";
import type { ShutdownConfig } from "./shutdown.js";
import type { TimeoutsConfig } from "./timeouts.js";

/** The driver adapter of a Prisma client. */
export type PostgresAdapter = ReturnType<typeof makePostgresAdapter>;

/** The database of the service (contract C55). */
export interface DatabaseConfig {
  /** A Prisma client, or a function that creates one with the adapter for `DATABASE_URL`. */
  readonly client: PrismaClientLike | ((options: { readonly adapter: PostgresAdapter }) => PrismaClientLike);
  /** The output of the generator `servicekit-prisma`. */
  readonly models: ModelsData;
  /**
   * Maximum number of connections of one instance, besides one for readiness; for a `client` that is a function. The
   * database must have room for those of all instances. @default 10
   */
  readonly poolSize?: number;
  /**
   * How rows are read and written. `"auto"`: with a `client` that is a function, each query of an eligible model is one SQL
   * statement if its result is that of Prisma Client; all other queries run on Prisma Client. `"prisma"`: Prisma Client runs
   * every query whose values it can represent (contract C92). `service models` prints the engine of each model.
   *
   * @default "auto"
   */
  readonly engine?: "auto" | "prisma";
  /**
   * Whether a 400 `RejectedByDatabase` contains the message of `RAISE` in a trigger or function of yours. Set it only
   * if these messages are written for clients. @default false
   */
  readonly exposeRaisedMessages?: boolean;
  /**
   * The URLs of streaming replicas (`DATABASE_REPLICA_URLS`, separated by commas), which serve reads (contract C121); for a
   * `client` that is a function. Each has a pool of {@link poolSize}.
   */
  readonly replicas?: readonly string[];
  /** A replica that is further behind the primary, in milliseconds, is not read from. @default 5000 */
  readonly maxLagMs?: number;
}

/** Validation of declared and generated routes (specification, "validation"; contract C12, C48). */
export interface ValidationSettingsConfig {
  /** The library of module schemas. */
  readonly resolver: "zod" | "class-validator" | "schema-lib" | "class-lib";
  /** Whether every declared route must declare its validation. @default false */
  readonly strict?: boolean;
  /** Options for the library: Zod's `safeParse`, or class-validator's `validate` (contract C48). */
  readonly validationOptions?: Readonly<Record<string, unknown>>;
}

/** The other origins that may call (contract C43); none by default. */
export interface CorsConfig {
  /** Origins such as `https://app.example.com`, or `"*"` for all. */
  readonly allowedOrigins?: readonly string[];
  /** Options of the `cors` package. */
  readonly options?: Omit<CorsOptions, "origin">;
}

/** The built-in middlewares: `false` omits one, options configure it, a handler replaces it. */
export interface MiddlewaresConfig {
  readonly securityHeaders?: false | HelmetOptions | RequestHandler;
  readonly requestLogger?: false | RequestHandler;
  readonly cors?: false | CorsConfig | RequestHandler;
  /** Parameters of `cookie-parser`, such as `["a signing secret"]`. */
  readonly cookieParser?: false | readonly [secret?: string | readonly string[], options?: object] | RequestHandler;
  readonly compression?: boolean | CompressionOptions | RequestHandler;
  /** @default 300 requests of one client in 60000 ms */
  readonly rateLimit?: false | RateLimitOptions | RequestHandler;
  /** Options of the JSON body parser, such as `limit` (1 MB). */
  readonly serverJson?: false | JsonParserOptions | RequestHandler;
  readonly queryParser?: false | QueryParserConfig | RequestHandler;
  /** `false` uses Express's own. */
  readonly errorHandler?: false | ErrorRequestHandler;
}

/** The SMTP server for email. */
export interface EmailConfig extends MailerSettings {}

/** The request options (specification, "request"). */
export interface RequestConfig {
  readonly parameters?: {
    /** Whether lists and reads accept `prismaQueryOptions`; hidden fields stay hidden (contract C22). @default false */
    readonly allowDangerousOrmQueryOptions?: boolean;
  };
}

/** The module `auth` in code (contract C44). */
export interface AuthModuleConfig {
  /** The access of the authentication routes: `{ signup: ["ADMIN"] }`. */
  readonly auth?: AuthRights;
  readonly hooks?: AuthHooks;
  readonly schemas?: AuthSchemas;
  /** Routes of your own below `/api/auth`. */
  readonly router?: Router | RequestHandler;
}

/** The module `file-upload` in code (contract C34, C44). */
export type FileUploadModuleConfig = FileUploadModule;

/** Models by name, in any case, and the two modules without a model. */
export interface ModelsConfig {
  readonly [model: Capitalize<string>]: ModelConfig;
  // `undefined` for projects without `exactOptionalPropertyTypes`, in which the names below may be undefined.
  readonly [model: Uncapitalize<string>]: ModelConfig | AuthModuleConfig | FileUploadModuleConfig | undefined;
  readonly auth?: ModelConfig | AuthModuleConfig;
  readonly "file-upload"?: FileUploadModuleConfig;
  readonly fileUpload?: ModelConfig | FileUploadModuleConfig;
}

/** The form of the configuration file: everything that does not need the running process. */
export interface ServiceConfig {
  /** The message of `GET /api`. */
  readonly welcomeMessage?: string;
  /** @default 8000 */
  readonly port?: number;
  /** @default "localhost" */
  readonly host?: string;
  readonly database?: DatabaseConfig;
  /** By the model's name; `auth` and `file-upload` are the modules without a model (contract C44). */
  readonly models?: ModelsConfig;
  /** The CDN in front of the service (contract C124). Off without it. */
  readonly cache?: CacheConfig;
  /** The tenants: each caller reaches only the rows of one (contract C100). Off without it. */
  readonly tenant?: TenantConfig;
  /** The folder of modules, below the package root. @default "src/modules", "dist/modules" if `dist` runs (C44) */
  readonly modulesDirectory?: string;
  readonly validation?: ValidationSettingsConfig;
  /** Authentication: without this block everything is open (contract C23 to C32). */
  readonly authentication?: AuthConfig;
  /** File uploads (contract C33 to C37). */
  readonly fileUpload?: Omit<FileUploadConfig, "serverStaticOptions">;
  readonly middlewares?: MiddlewaresConfig;
  readonly routers?: {
    /** `true` registers no generated route, `"no-bulk"` omits the `/many` routes. @default false */
    readonly strict?: boolean | "no-bulk";
    /** `false` omits the welcome endpoint, a handler replaces it. */
    readonly welcomeRoute?: false | RequestHandler;
    /** Routers after the built-in ones. */
    readonly additional?: readonly Usable[];
    /** Names of omitted built-in routers (contract C51). */
    readonly disable?: readonly string[];
    /** Routers in place of built-in ones, by name. */
    readonly replace?: { readonly [Name in Spelt<RouterName>]?: RequestHandler | Router | PlainRouter };
  };
  readonly email?: EmailConfig;
  /** The API documentation (contract C47). */
  readonly apidocs?: ApiDocsConfig;
  /** Whether the studio is at `/api/studio` (contract C76). @default only in development */
  readonly studio?: boolean;
  readonly request?: RequestConfig;
  readonly debugging?: DebuggingConfig;
  readonly limits?: LimitsConfig;
  /** Rejects requests that would wait too long (contract C70); off without it. */
  readonly loadShedding?: LoadSheddingConfig;
  /** Requests with an `Idempotency-Key` (contract C49); on by default if the model `IdempotencyKey` exists. */
  readonly idempotency?: IdempotencyConfig;
  readonly timeouts?: TimeoutsConfig;
  /** The trusted proxies, as in Express's setting `trust proxy`. @default false */
  readonly trustProxy?: boolean | number | string | readonly string[];
  /** The public URL, such as `https://api.example.com`. */
  readonly publicUrl?: string;
  /** Shares rate limits between instances. */
  readonly redis?: { readonly url?: string };
  readonly shutdown?: ShutdownConfig;
  /**
   * The number of processes (contract C78): a number, or `"auto"` for one per processor. For `service.init`; without it
   * the process serves by itself.
   */
  readonly workers?: number | "auto";
  /** Metrics for Prometheus (contract C69), at a separate port or at a path of the service. */
  readonly metrics?: MetricsConfig;
  /** AI agents call the service at `/api/mcp`, with the permissions of their caller (contract C75). Off without it. */
  readonly mcp?: McpConfig;
  /** Signed requests to other services after committed changes (contract C112). Off without it. */
  readonly webhooks?: WebhooksConfig;
  /** Which processes run the jobs of `src/jobs` and the subscribers of modules (contract C109). */
  readonly jobs?: JobsConfig;
  /** The minimum level of the built-in logger. Health probes are at `debug`. @default "info" */
  readonly logLevel?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** A logger in place of the built-in one. */
  readonly logger?: Logger;
}

/** The values of `use` and `routers.additional` (contract C54). */
export type Usable = RequestHandler | InlineErrorHandler | AnyErrorHandler | Router | PlainRouter;

/**
 * Types an arrow function of four parameters, and not one of three: for those the two signatures are incompatible, so
 * that only `RequestHandler` provides types.
 */
interface InlineErrorHandler {
  (error: unknown, request: Request, response: Response, next: NextFunction): unknown;
  <_Unused>(error: _Unused, request: never, response: never): unknown;
}

/**
 * Any error handler, excluded from contextual typing by two incompatible signatures. A handler may declare its error
 * type, `(error: HttpError, …)`, which a parameter of type `unknown` would not allow.
 */
interface AnyErrorHandler {
  // biome-ignore lint/suspicious/noExplicitAny: any error fits, as in Express's ErrorRequestHandler.
  <_Unused>(error: any, request: Request, response: Response, next: NextFunction): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (error: any, request: Request, response: Response, next: NextFunction): unknown;
}

/** The names of `middlewares.replace`, in both spellings (contract C51). */
type ReplacedMiddlewares = {
  readonly [Name in Spelt<MiddlewareName | MiddlewareAlias>]?: Name extends Spelt<
    "error-handler" | "global-error-handler"
  >
    ? ErrorRequestHandler
    : RequestHandler;
};

type Spelt<Name extends string> = Name | CamelCase<Name>;
type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** A router object that is not a function, with the `handle` that Express calls. */
export interface PlainRouter {
  handle: RequestHandler;
}

/** The code-only keys, with the init form's own names (specification, "ServiceInitConfig"). */
export interface ServiceInitConfig extends Omit<ServiceConfig, "middlewares" | "fileUpload"> {
  /** Routers, request handlers and error handlers of the application, in order. */
  readonly use?: readonly Usable[];
  /** Configures the application before anything is mounted. */
  readonly configureApp?: (app: Express) => unknown;
  /** Configures the server before it listens. */
  readonly configureServer?: (server: Server) => unknown;
  readonly globalRequestRateLimitOptions?: MiddlewaresConfig["rateLimit"];
  readonly jsonBodyParserOptions?: MiddlewaresConfig["serverJson"];
  readonly cookieParserParameters?: MiddlewaresConfig["cookieParser"];
  readonly compressionOptions?: MiddlewaresConfig["compression"];
  readonly queryParserOptions?: MiddlewaresConfig["queryParser"];
  readonly cors?: MiddlewaresConfig["cors"];
  /** Also accepts `serverStatic` by its init name `serverStaticOptions`. */
  readonly fileUpload?: FileUploadConfig;
  readonly middlewares?: MiddlewaresConfig & {
    /** Handlers after the built-in ones. */
    readonly additional?: readonly RequestHandler[];
    /** Names of omitted built-in middlewares. */
    readonly disable?: readonly string[];
    /** Handlers in place of built-in ones, by name. */
    readonly replace?: ReplacedMiddlewares;
  };
}
