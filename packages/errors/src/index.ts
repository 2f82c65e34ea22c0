export { defineErrors, type ErrorDefinition, type ErrorFactory } from "./define-errors.js";
export { type FaultList, makeFaultList } from "./fault-list.js";
export { fieldCode } from "./field-code.js";
export {
  type FaultPlace,
  type FieldFault,
  HttpError,
  type HttpErrorOptions,
  isHttpError,
  maxErrors,
} from "./http-error.js";
export { httpErrors } from "./http-errors.js";
export { joinOr } from "./join-or.js";
export { namesOf } from "./names-of.js";
export { nearestWord } from "./nearest-word.js";
export { oldSchema } from "./old-schema.js";
export { isInstalled, missingPackages, type OptionalPackages, whenMissing } from "./optional-package.js";
export { type ProblemBody, type ProblemContext, problemMediaType, toProblemBody } from "./problem-body.js";
export { problemType, toldCodes } from "./problem-type.js";
export { makeStartFault, StartError, type StartFault, type StartFaultParts } from "./start-error.js";
export { statusPhrase } from "./status-phrase.js";
export { longestTimer, startTimeLimit, withTimeLimit } from "./time-limit.js";
