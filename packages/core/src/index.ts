export { defineErrors, type ErrorDefinition, type ErrorFactory } from "./errors/define-errors.js";
export {
  type FaultPlace,
  type FieldFault,
  HttpError,
  type HttpErrorOptions,
  isHttpError,
} from "./errors/http-error.js";
export { httpErrors } from "./errors/http-errors.js";
export { type ProblemBody, type ProblemContext, toProblemBody } from "./errors/problem-body.js";
export { StartError, type StartFault, type StartFaultParts } from "./errors/start-error.js";
