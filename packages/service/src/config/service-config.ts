import type { Server } from "node:http";
import type { AuthHooks, AuthRights, AuthSchemas } from "@servicekit/auth";
import type { AuthConfig } from "@servicekit/auth/settings";
import type { MailerSettings } from "@servicekit/mailer/settings";
import type { ModelConfig } from "@servicekit/model-router";
import type { ApiDocsConfig } from "@servicekit/openapi/settings";
import type { ModelsData, PrismaClientLike } from "@servicekit/orm";
import type { makePostgresAdapter } from "@servicekit/orm/postgres";
import type { CompressionOptions, JsonParserOptions, QueryParserConfig, RateLimitOptions } from "@servicekit/router";
import type { FileUploadModule } from "@servicekit/uploads";
import type { FileUploadConfig } from "@servicekit/uploads/settings";
import type { CorsOptions } from "cors";
import type { ErrorRequestHandler, Express, RequestHandler, Router } from "express";
import type { HelmetOptions } from "helmet";
import type { Logger } from "pino";

/** The driver adapter that a Prisma client is made with. */
export type PostgresAdapter = ReturnType<typeof makePostgresAdapter>;

/** The database of the service (contract C55). */
export interface DatabaseConfig {
  /** A Prisma client, or a function that makes one with the adapter made from `DATABASE_URL`. */
  readonly client: PrismaClientLike | ((options: { readonly adapter: PostgresAdapter }) => PrismaClientLike);
  /** What the generator `servicekit-prisma` wrote. */
  readonly models: ModelsData;
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

/** How much one request may ask for (contract C14, C20, C43). */
export interface LimitsConfig {
  /** Bytes of a URL. @default 8192 */
  readonly urlBytes?: number;
  /** Filter terms of a query. @default 100 */
  readonly terms?: number;
  /** Logical groups inside each other. @default 5 */
  readonly groups?: number;
  /** Relations on the way to a field. @default 3 */
  readonly relationHops?: number;
  /** Values of one list. @default 500 */
  readonly listItems?: number;
  /** Keys of one `sort`. @default 5 */
  readonly sortKeys?: number;
  /**
   * What the filter of one query of a generated route may cost: each condition 1, a search in a text 4, times 2 for each
   * relation to one row on the way and times 4 for each to many (contract C59). @default 1000
   */
  readonly filterCost?: number;
  /** A JSON body, in bytes or as a text such as `1mb`; `serverJson.limit` says the same. @default "1mb" */
  readonly body?: number | string;
  /**
   * How many values a JSON body may hold; `serverJson.values` says the same. Bulk routes take what
   * the items of a bulk may hold besides. @default 10000
   */
  readonly bodyValues?: number;
  /** Items of one bulk request. @default 1000 */
  readonly bulkItems?: number;
  /** Rows of a page, when the client does not say and at the most. @default { default: 20, max: 100 } */
  readonly page?: { readonly default?: number; readonly max?: number };
  /**
   * How deep `include` goes, how many rows of each to-many relation it brings, and how many of all together one answer may
   * hold. @default { depth: 3, rows: 100, total: 10000 }
   */
  readonly include?: { readonly depth?: number; readonly rows?: number; readonly total?: number };
}

/** Time limits in milliseconds (contract C43). */
export interface TimeoutsConfig {
  /** From the end of a request's body to its answer. @default 30000 */
  readonly request?: number;
  /** Silence while a request is received. @default 10000 */
  readonly idle?: number;
  /** The headers of a request. @default 10000 */
  readonly headers?: number;
  /** One statement of the database. @default 5000 */
  readonly statement?: number;
  /** Waiting for a free database connection. @default 2000 */
  readonly poolWait?: number;
}

/** What is logged besides the access log (contract C42). */
export interface DebuggingConfig {
  readonly requests?: {
    /** 0 nothing more, 1 a line before the request runs, 2 with its parts, 3 with body and size of the answer. */
    readonly level?: number;
    /** Which parts, of `Params`, `Query`, `Headers` and `Body`. @default all */
    readonly filter?: readonly string[];
  };
  readonly dynamicLoader?: {
    /** 0 nothing, 1 what was loaded, 2 what was looked for, 3 with timings. */
    readonly level?: number;
    readonly filters?: { readonly modules?: readonly string[]; readonly components?: readonly string[] };
  };
}

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
    readonly replace?: Readonly<Record<string, RequestHandler | Router | PlainRouter>>;
  };
  readonly email?: EmailConfig;
  /** The API documentation (contract C47). */
  readonly apidocs?: ApiDocsConfig;
  readonly request?: RequestConfig;
  readonly debugging?: DebuggingConfig;
  readonly limits?: LimitsConfig;
  readonly timeouts?: TimeoutsConfig;
  /** Which proxies in front are believed, as Express's setting `trust proxy` says it. @default false */
  readonly trustProxy?: boolean | number | string | readonly string[];
  /** The address that clients see, such as `https://api.example.com`. */
  readonly publicUrl?: string;
  /** Shares rate limits between instances. */
  readonly redis?: { readonly url?: string };
  readonly shutdown?: {
    /** How long running requests may take to end, in milliseconds. @default 10000 */
    readonly drain?: number;
  };
  /** A logger in place of the built-in one. */
  readonly logger?: Logger;
}

/** What `use` and `routers.additional` take (contract C54). */
export type Usable = RequestHandler | ErrorRequestHandler | Router | PlainRouter;

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
    readonly replace?: Readonly<Record<string, RequestHandler | ErrorRequestHandler>>;
  };
}
