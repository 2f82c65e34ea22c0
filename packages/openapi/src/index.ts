export { type DocsRouterOptions, makeDocsRouter } from "./docs-router.js";
export { type DocumentOptions, makeDocument, type OpenApiDocument } from "./document.js";
export type { Surrounding } from "./errors.js";
export type { Credential } from "./security-schemes.js";
export {
  type ApiDocsConfig,
  type ApiDocsMode,
  type ApiDocsOptions,
  type ApiDocsSettings,
  type ApiDocsSurroundings,
  apiDocsSchema,
  readApiDocsSettings,
} from "./settings.js";
export { toYaml } from "./to-yaml.js";
