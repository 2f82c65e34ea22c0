import type { AuthenticationConfig } from "@servicekit/router";
import { z } from "zod";

/** Where the schemas of generated routes come from; the neutral words mean the same (contract C47). */
export type ApiDocsMode = "prisma" | "class-validator" | "zod";

/** The block `apidocs` of the configuration (specification, "apidocs"). */
export interface ApiDocsConfig {
  /** Whether the documentation is there in production too. @default false */
  readonly enableAfterBuild?: boolean;
  /**
   * Who may read it where authentication is on: `false` everyone, `true` who is signed in, a list these roles. The document
   * shows what any role may see. @default everyone in development and in tests, elsewhere superusers and whoever has the
   * stored permission View of api-docs
   */
  readonly auth?: boolean | readonly string[];
  /** The whole path of the page. @default "/api/api-docs" */
  readonly endpoint?: string;
  /** Where the schemas of generated routes come from: the models, the modules' DTO classes or their Zod schemas. */
  readonly mode: ApiDocsMode | "orm" | "class-lib" | "schema-lib";
  /** Whether an operation that has no schema in this mode stops the start. @default false */
  readonly strict?: boolean;
  /** Passed on to Swagger UI; `definition` goes into the document. */
  readonly options?: ApiDocsOptions;
  /** Passed on to Scalar, such as `{ theme: "moon" }`. */
  readonly referenceUiConfiguration?: Readonly<Record<string, unknown>>;
}

/** What is said of the document and of the page that shows it; other keys are Swagger UI's own. */
export interface ApiDocsOptions {
  /** Style sheets as text, behind those of the page. */
  readonly customCss?: string;
  /** @default the title of the document */
  readonly customSiteTitle?: string;
  readonly definition?: {
    /** Laid over the components that the routes make, by kind and name. */
    readonly components?: { readonly [kind: string]: Readonly<Record<string, unknown>> };
    readonly info?: {
      readonly title?: string;
      readonly version?: string;
      readonly description?: string;
      readonly [key: string]: unknown;
    };
    readonly servers?: readonly { readonly url: string; readonly [key: string]: unknown }[];
    readonly [key: string]: unknown;
  };
  readonly deepLinking?: boolean;
  readonly tryItOutEnabled?: boolean;
  readonly [key: string]: unknown;
}

/** The block `apidocs` with every default filled in, frozen. */
export interface ApiDocsSettings {
  /** Whether the document and the pages are served (contract C47). */
  readonly enabled: boolean;
  /** Whether the configuration says who may read it. */
  readonly isGuarded: boolean;
  /** What its routes declare where authentication is on. */
  readonly authentication: AuthenticationConfig;
  readonly endpoint: string;
  readonly mode: ApiDocsMode;
  readonly strict: boolean;
  readonly options: ApiDocsOptions;
  readonly referenceUiConfiguration: Readonly<Record<string, unknown>>;
}

/** What the settings depend on besides the configuration. */
export interface ApiDocsSurroundings {
  /** `NODE_ENV`. */
  readonly nodeEnv: string;
}

const text = z.string().optional();
/** Every word that is taken for a mode. */
const modes: Readonly<Record<ApiDocsConfig["mode"], ApiDocsMode>> = {
  orm: "prisma",
  "class-lib": "class-validator",
  "schema-lib": "zod",
  prisma: "prisma",
  "class-validator": "class-validator",
  zod: "zod",
};

const noForeignFile = "The page loads no file but its own: say styles as customCss.";
const oneDocument = "The page shows the document of this service alone.";

/** Options of swagger-ui-express that would do nothing here. */
const notOurs: Readonly<Record<string, string>> = {
  customCssUrl: noForeignFile,
  customJs: "The page runs no script but its own.",
  customJsStr: "The page runs no script but its own.",
  customfavIcon: noForeignFile,
  customRobots: "The page says nothing to robots: let a proxy do it.",
  explorer: oneDocument,
  url: oneDocument,
  urls: oneDocument,
  swaggerUrl: oneDocument,
  swaggerUrls: oneDocument,
  swaggerOptions: "Options of Swagger UI stand beside definition, without a block of their own.",
};

/** The shape of the block `apidocs`. */
export const apiDocsSchema = z.strictObject({
  enableAfterBuild: z.boolean().optional(),
  auth: z
    .union([z.boolean(), z.array(z.string())])
    .meta({ expected: "true, false or a list of roles" })
    .optional(),
  endpoint: z
    .string()
    .regex(/^(\/[\w.~-]+)+$/)
    .meta({ expected: "a path such as /api/api-docs" })
    .optional(),
  mode: z.enum(["orm", "class-lib", "schema-lib", "prisma", "class-validator", "zod"]),
  strict: z.boolean().optional(),
  options: z
    .looseObject({
      customCss: text,
      customSiteTitle: text,
      definition: z
        .looseObject({
          components: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
          info: z.looseObject({ title: text, version: text, description: text }).optional(),
          servers: z.array(z.looseObject({ url: z.string() })).optional(),
        })
        .optional(),
      deepLinking: z.boolean().optional(),
      tryItOutEnabled: z.boolean().optional(),
    })
    .check(({ value, issues }) => {
      for (const [key, message] of Object.entries(notOurs)) {
        if (value[key] !== undefined) issues.push({ code: "custom", path: [key], message, input: value });
      }
    })
    .optional(),
  referenceUiConfiguration: z.looseObject({}).optional(),
});

/**
 * Completes the block `apidocs` with its defaults; without a block the models are documented (contract C47). The
 * documentation is there in development and in tests, elsewhere where `enableAfterBuild` says so.
 */
export function readApiDocsSettings(
  config: ApiDocsConfig | undefined,
  { nodeEnv }: ApiDocsSurroundings,
): ApiDocsSettings {
  const { enableAfterBuild = false, auth, endpoint, mode, strict, options, referenceUiConfiguration } = config ?? {};
  const isWorkshop = nodeEnv === "development" || nodeEnv === "test";
  const access = { resource: "api-docs", action: "View" };
  const isRoles = typeof auth === "object";
  const unsaid = isWorkshop ? false : access;
  return Object.freeze({
    enabled: enableAfterBuild || isWorkshop,
    isGuarded: auth !== undefined && auth !== false,
    authentication: isRoles ? { ...access, rule: auth } : (auth ?? unsaid),
    endpoint: endpoint ?? "/api/api-docs",
    mode: mode === undefined ? "prisma" : modes[mode],
    strict: strict ?? false,
    options: Object.freeze({ ...options }),
    referenceUiConfiguration: Object.freeze({ ...referenceUiConfiguration }),
  });
}
