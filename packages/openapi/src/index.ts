export { type DocsRouterOptions, makeDocsRouter } from "./docs-router.js";
export { type DocumentOptions, makeDocument } from "./document/document.js";
export type { OpenApiDocument } from "./document/open-api-document.js";
export { toYaml } from "./formats/to-yaml.js";
export type { DocumentContext } from "./operation/errors.js";
export type { Credential } from "./operation/security-schemes.js";
export {
  type ApiDocsConfig,
  type ApiDocsContext,
  type ApiDocsMode,
  type ApiDocsOptions,
  type ApiDocsSettings,
  apiDocsSchema,
  readApiDocsSettings,
} from "./settings.js";
