import type { Server } from "node:http";
import type { AuthHooks, AuthRights, AuthSchemas } from "@servicekit/auth";
import type { AuthConfig } from "@servicekit/auth/settings";
import type { IdempotencyConfig } from "@servicekit/idempotency/settings";
import type { MailerSettings } from "@servicekit/mailer/settings";
import type { McpConfig } from "@servicekit/mcp/settings";
import type { ModelConfig } from "@servicekit/model-router";
import type { ApiDocsConfig } from "@servicekit/openapi/settings";
import type { ModelsData, PrismaClientLike } from "@servicekit/prisma";
import type { makePostgresAdapter } from "@servicekit/prisma/postgres";
import type { CompressionOptions, JsonParserOptions, QueryParserConfig, RateLimitOptions } from "@servicekit/router";
import type { LoadSheddingConfig } from "@servicekit/server/settings";
import type { MetricsConfig } from "@servicekit/telemetry/settings";
import type { FileUploadModule } from "@servicekit/uploads";
import type { FileUploadConfig } from "@servicekit/uploads/settings";
import type { CorsOptions } from "cors";
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response, Router } from "express";
import type { HelmetOptions } from "helmet";
import type { Logger } from "pino";
import type { DebuggingConfig } from "./debugging.js";
import type { LimitsConfig } from "./limits.js";
import type { MiddlewareAlias, MiddlewareName, RouterName } from "./names.js";
import type { ShutdownConfig } from "./shutdown.js";
import type { TimeoutsConfig } from "./timeouts.js";

/** The driver adapter that a Prisma client is made with. */
export type PostgresAdapter = ReturnType<typeof makePostgresAdapter>;

/** The database of the service (contract C55). */
export interface DatabaseConfig {
  /** A Prisma client, or a function that makes one with the adapter made from `DATABASE_URL`. */
  readonly client: PrismaClientLike | ((options: { readonly adapter: PostgresAdapter }) => PrismaClientLike);
  /** What the generator `servicekit-prisma` wrote. */
  readonly models: ModelsData;
  /**
   * The most connections of one instance at a time, besides one for readiness; for a `client` that is a function. All
   * instances together must find room in the database. @default 10
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
   * Whether a 400 `RejectedByDatabase` has the message of `RAISE` in a trigger or function of yours. Set it only where these
   * messages are written for clients. @default false
   */
  readonly exposeRaisedMessages?: boolean;
}

/** Validation of declared and generated routes (specification, "validation"; contract C12, C48). */
export interface ValidationSettingsConfig {
  /** Which library the schemas of modules are made with. */
  readonly resolver: "zod" | "class-validator" | "schema-lib" | "class-lib";
  /** Whether every declared route must say how it is validated. @default false */
  readonly strict?: boolean;
  /** Options that go to the library: to Zod's `safeParse`, or to class-validator's `validate` (contract C48). */
  readonly validationOptions?: Readonly<Record<string, unknown>>;
}

/** Which other origins may call (contract C43); no one until origins are named. */
export interface CorsConfig {
  /** Origins such as `https://app.example.com`, or `"*"` for every one. */
  readonly allowedOrigins?: readonly string[];
  /** Options of the `cors` package. */
  readonly options?: Omit<CorsOptions, "origin">;
}

/** The built-in middlewares: `false` leaves one out, options set it, a handler takes its place. */
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
  /** `false` leaves Express's own. */
  readonly errorHandler?: false | ErrorRequestHandler;
}

/** The SMTP server that mails are sent through. */
export interface EmailConfig extends MailerSettings {}

/** What requests may say (specification, "request"). */
export interface RequestConfig {
  readonly parameters?: {
    /** Whether lists and reads take `prismaQueryOptions`; hidden fields stay hidden (contract C22). @default false */
    readonly allowDangerousOrmQueryOptions?: boolean;
  };
}

/** The module `auth`, given in code (contract C44). */
export interface AuthModuleConfig {
  /** Who may use the routes of authentication: `{ signup: ["ADMIN"] }`. */
  readonly auth?: AuthRights;
  readonly hooks?: AuthHooks;
  readonly schemas?: AuthSchemas;
  /** Routes of your own below `/api/auth`. */
  readonly router?: Router | RequestHandler;
}

/** The module `file-upload`, given in code (contract C34, C44). */
export type FileUploadModuleConfig = FileUploadModule;

/** Models by name, in whichever letters, and the two modules that belong to no model. */
export interface ModelsConfig {
  readonly [model: Capitalize<string>]: ModelConfig;
  // `undefined` for projects without `exactOptionalPropertyTypes`, where the names below may be undefined.
  readonly [model: Uncapitalize<string>]: ModelConfig | AuthModuleConfig | FileUploadModuleConfig | undefined;
  readonly auth?: ModelConfig | AuthModuleConfig;
  readonly "file-upload"?: FileUploadModuleConfig;
  readonly fileUpload?: ModelConfig | FileUploadModuleConfig;
}

/** The configuration file's form: everything that can be said without the running process. */
export interface ServiceConfig {
  /** What `GET /api` says. */
  readonly welcomeMessage?: string;
  /** @default 8000 */
  readonly port?: number;
  /** @default "localhost" */
  readonly host?: string;
  readonly database?: DatabaseConfig;
  /** By the model's name; `auth` and `file-upload` are the modules that belong to no model (contract C44). */
  readonly models?: ModelsConfig;
  /** The folder of modules, below the package root. @default "src/modules", "dist/modules" where `dist` runs (C44) */
  readonly modulesDirectory?: string;
  readonly validation?: ValidationSettingsConfig;
  /** Who may call: without this block everyone may (contract C23 to C32). */
  readonly authentication?: AuthConfig;
  /** Files that clients send (contract C33 to C37). */
  readonly fileUpload?: Omit<FileUploadConfig, "serverStaticOptions">;
  readonly middlewares?: MiddlewaresConfig;
  readonly routers?: {
    /** `true` registers no generated route, `"no-bulk"` leaves out the `/many` routes. @default false */
    readonly strict?: boolean | "no-bulk";
    /** `false` leaves the welcome endpoint out, a handler takes its place. */
    readonly welcomeRoute?: false | RequestHandler;
    /** Routers behind the built-in ones. */
    readonly additional?: readonly Usable[];
    /** Names of built-in routers to leave out (contract C51). */
    readonly disable?: readonly string[];
    /** Routers in place of built-in ones, by name. */
    readonly replace?: { readonly [Name in Spelt<RouterName>]?: RequestHandler | Router | PlainRouter };
  };
  readonly email?: EmailConfig;
  /** The API documentation (contract C47). */
  readonly apidocs?: ApiDocsConfig;
  /** Whether the studio is at `/api/studio` (contract C76). @default in development alone */
  readonly studio?: boolean;
  readonly request?: RequestConfig;
  readonly debugging?: DebuggingConfig;
  readonly limits?: LimitsConfig;
  /** Refuses at once what would wait too long (contract C70); off without it. */
  readonly loadShedding?: LoadSheddingConfig;
  /** Requests with an `Idempotency-Key` (contract C49); on without this block where the model `IdempotencyKey` stands. */
  readonly idempotency?: IdempotencyConfig;
  readonly timeouts?: TimeoutsConfig;
  /** Which proxies in front are believed, as Express's setting `trust proxy` says it. @default false */
  readonly trustProxy?: boolean | number | string | readonly string[];
  /** The address that clients see, such as `https://api.example.com`. */
  readonly publicUrl?: string;
  /** Shares rate limits between instances. */
  readonly redis?: { readonly url?: string };
  readonly shutdown?: ShutdownConfig;
  /**
   * How many processes serve (contract C78): a number, or `"auto"` for one of each processor. For `service.init`; without it the
   * process serves by itself.
   */
  readonly workers?: number | "auto";
  /** Figures for Prometheus (contract C69), at a port of their own or at a path of the service. */
  readonly metrics?: MetricsConfig;
  /** Models ask the service at `/api/mcp`, each by the rights of its caller (contract C75). Off without it. */
  readonly mcp?: McpConfig;
  /** From which level on the built-in logger says something. Health probes are at `debug`. @default "info" */
  readonly logLevel?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** A logger in place of the built-in one. */
  readonly logger?: Logger;
}

/** What `use` and `routers.additional` take (contract C54). */
export type Usable = RequestHandler | InlineErrorHandler | AnyErrorHandler | Router | PlainRouter;

/**
 * Gives an arrow function of four parameters its types, and none of three: for those the two signatures cannot be joined, so
 * that only `RequestHandler` is left to give theirs.
 */
interface InlineErrorHandler {
  (error: unknown, request: Request, response: Response, next: NextFunction): unknown;
  <_Unused>(error: _Unused, request: never, response: never): unknown;
}

/**
 * Any error handler, kept out of the typing of arrow functions by two signatures that cannot be joined. A handler may say
 * which errors it waits for, `(error: HttpError, …)`: where the parameter were `unknown`, none but those of `unknown` would fit.
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

/** A router object that is no function, with the `handle` that Express calls. */
export interface PlainRouter {
  handle: RequestHandler;
}

/** What can only be said in code, in the init form's own names (specification, "ServiceInitConfig"). */
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
  /** Takes `serverStatic` by its init name `serverStaticOptions` too. */
  readonly fileUpload?: FileUploadConfig;
  readonly middlewares?: MiddlewaresConfig & {
    /** Handlers after the built-in ones. */
    readonly additional?: readonly RequestHandler[];
    /** Names of built-in middlewares to leave out. */
    readonly disable?: readonly string[];
    /** Handlers in place of built-in ones, by name. */
    readonly replace?: ReplacedMiddlewares;
  };
}
