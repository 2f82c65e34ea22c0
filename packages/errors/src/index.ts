export { defineErrors, type ErrorDefinition, type ErrorFactory } from "./define-errors.js";
export { type FaultPlace, type FieldFault, HttpError, type HttpErrorOptions, isHttpError } from "./http-error.js";
export { httpErrors } from "./http-errors.js";
export { joinOr } from "./join-or.js";
export { nearestWord } from "./nearest-word.js";
export { isInstalled, missingPackages, type OptionalPackages, whenMissing } from "./optional-package.js";
export { type ProblemBody, type ProblemContext, problemMediaType, toProblemBody } from "./problem-body.js";
export { makeStartFault, StartError, type StartFault, type StartFaultParts } from "./start-error.js";
export { statusPhrase } from "./status-phrase.js";
