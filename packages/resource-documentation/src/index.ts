export type { DocumentationSettings, DocumentedModel } from "./documentation-settings.js";
export { type DocumentationSource, operationDocumentation } from "./operation-documentation.js";
