export { defineErrors, type ErrorDefinition, type ErrorFactory } from "./errors/define-errors.js";
export {
  HttpError,
  type HttpErrorOptions,
  type IssuePlace,
  isHttpError,
  type ValidationIssue,
} from "./errors/http-error.js";
export { httpErrors } from "./errors/http-errors.js";
export { type ProblemBody, type ProblemContext, toProblemBody } from "./errors/problem-body.js";
export { StartupError, type StartupIssue, type StartupIssueParts } from "./errors/start-error.js";
