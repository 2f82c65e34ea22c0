export { checkConfig } from "./check-config.js";
export { describeFound } from "./describe-found.js";
export { expectedWords } from "./expected-words.js";
export { findIssues } from "./find-issues.js";
export { hidePassword } from "./hide-password.js";
export { inSchemaOrder } from "./in-schema-order.js";
export { isHiddenAt, metaOf, type Schema, unfold } from "./schema-at.js";
export { isSecretName } from "./secret-name.js";
