export { checkConfig } from "./check-config.js";
export { describeFound, isSecretName } from "./describe-found.js";
export { expectedWords } from "./expected-words.js";
export { findIssues } from "./find-issues.js";
export { inSchemaOrder } from "./in-schema-order.js";
export { metaOf, type Schema, unfold } from "./schema-at.js";
