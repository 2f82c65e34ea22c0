import type { AuthenticationConfig } from "@servicekit/router";
import { z } from "zod";

/** The source of the schemas of generated routes; the neutral words are synonyms (contract C47). */
export type ApiDocsMode = "prisma" | "class-validator" | "zod";

/** The block `apidocs` of the configuration (specification, "apidocs"). */
export interface ApiDocsConfig {
  /** Whether the documentation is also served in production. @default false */
  readonly enableAfterBuild?: boolean;
  /**
   * Who may read it with authentication: `false` everyone, `true` signed-in users, a list these roles. The document
   * contains everything that any role may see. @default everyone in development and in tests, otherwise superusers and
   * users with the stored permission View of api-docs
   */
  readonly auth?: boolean | readonly string[];
  /** The full path of the page. @default "/api/api-docs" */
  readonly endpoint?: string;
  /** The source of the schemas of generated routes: the models, the modules' DTO classes or their Zod schemas. */
  readonly mode: ApiDocsMode | "orm" | "class-lib" | "schema-lib";
  /** Whether an operation without a schema in this mode is a startup error. @default false */
  readonly strict?: boolean;
  /** Passed on to Swagger UI; `definition` goes into the document. */
  readonly options?: ApiDocsOptions;
  /** Passed on to Scalar, such as `{ theme: "moon" }`. */
  readonly referenceUiConfiguration?: Readonly<Record<string, unknown>>;
}

/** Properties of the document and of the page; other keys are Swagger UI's own. */
export interface ApiDocsOptions {
  /** Style sheets as text, after those of the page. */
  readonly customCss?: string;
  /** @default the title of the document */
  readonly customSiteTitle?: string;
  readonly definition?: {
    /** Merged into the generated components, by kind and name. */
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
  /** Whether the configuration sets who may read it. */
  readonly isGuarded: boolean;
  /** The authentication of its routes, if authentication is on. */
  readonly authentication: AuthenticationConfig;
  readonly endpoint: string;
  readonly mode: ApiDocsMode;
  readonly strict: boolean;
  readonly options: ApiDocsOptions;
  readonly referenceUiConfiguration: Readonly<Record<string, unknown>>;
}

/** The environment of the settings. */
export interface ApiDocsContext {
  /** `NODE_ENV`. */
  readonly nodeEnv: string;
}

const text = z.string().optional();
/** The accepted words for each mode. */
const modes: Readonly<Record<ApiDocsConfig["mode"], ApiDocsMode>> = {
  orm: "prisma",
  "class-lib": "class-validator",
  "schema-lib": "zod",
  prisma: "prisma",
  "class-validator": "class-validator",
  zod: "zod",
};

const noForeignFile = "The page loads only its own files: set styles as customCss.";
const oneDocument = "The page shows only the document of this service.";

/** Options of swagger-ui-express that have no effect here. */
const unsupportedOptions: Readonly<Record<string, string>> = {
  customCssUrl: noForeignFile,
  customJs: "The page runs only its own scripts.",
  customJsStr: "The page runs only its own scripts.",
  customfavIcon: noForeignFile,
  customRobots: "The page sends no instructions for robots. Configure them in a proxy.",
  explorer: oneDocument,
  url: oneDocument,
  urls: oneDocument,
  swaggerUrl: oneDocument,
  swaggerUrls: oneDocument,
  swaggerOptions: "Options of Swagger UI are set beside definition, without a block of their own.",
};

/** The schema of the block `apidocs`. */
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
      for (const [key, message] of Object.entries(unsupportedOptions)) {
        if (value[key] !== undefined) issues.push({ code: "custom", path: [key], message, input: value });
      }
    })
    .optional(),
  referenceUiConfiguration: z.looseObject({}).optional(),
});

/**
 * Adds the defaults to the block `apidocs`; without a block the models are documented (contract C47). The documentation
 * is served in development and in tests, and elsewhere with `enableAfterBuild`.
 */
export function readApiDocsSettings(config: ApiDocsConfig | undefined, { nodeEnv }: ApiDocsContext): ApiDocsSettings {
  const { enableAfterBuild = false, auth, endpoint, mode, strict, options, referenceUiConfiguration } = config ?? {};
  const isWorkshop = nodeEnv === "development" || nodeEnv === "test";
  const access = { resource: "api-docs", action: "View" };
  const isRoles = typeof auth === "object";
  const defaultAccess = isWorkshop ? false : access;
  return Object.freeze({
    enabled: enableAfterBuild || isWorkshop,
    isGuarded: auth !== undefined && auth !== false,
    authentication: isRoles ? { ...access, rule: auth } : (auth ?? defaultAccess),
    endpoint: endpoint ?? "/api/api-docs",
    mode: mode === undefined ? "prisma" : modes[mode],
    strict: strict ?? false,
    options: Object.freeze({ ...options }),
    referenceUiConfiguration: Object.freeze({ ...referenceUiConfiguration }),
  });
}
