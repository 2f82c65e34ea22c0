import { type HttpError, httpErrors, type StartupIssue, type ValidationIssue } from "@servicekit/core";
import { type ExpectedValue } from "@servicekit/query-parser";
import { readValues } from "@servicekit/query-parser/internal";
import type { Request, RequestHandler } from "express";
import { routeName } from "../declaration/check-route-config.js";
import type { BodyView, DeclaredRoute } from "../declaration/declared-route.js";
import { type ValidatedPart, type ValidationConfig, validatedParts } from "../declaration/validation.js";
import { matchState } from "../pipeline/request-match.js";
import type { RouteStep } from "../pipeline/route-step.js";
import { setQuery } from "../request/request-query.js";
import { checkDtoClass } from "../validation/class-validator.js";
import { expectedOfSchema } from "../validation/expected-of-schema.js";
import { makeValidator } from "../validation/make-validator.js";
import { isDtoClass, type Schema } from "../validation/schema.js";
import { type ValidationResult, type Validator } from "../validation/validator.js";

/** How declared routes are validated. */
export interface ValidationSettings {
  /** Whether every declared route must declare its validation (contract C48). @default false */
  readonly strict?: boolean;
  /** Options for the library: Zod's `safeParse`, or class-validator's `validate`. */
  readonly validationOptions?: Readonly<Record<string, unknown>>;
}

/**
 * The step of `validation`: validates body, query and params together, returns 400 with every issue (contract C3), and
 * replaces the values by the schemas' output.
 */
export function makeValidationStep(settings: ValidationSettings = {}): RouteStep {
  return {
    key: "validation",
    handlers(value, route) {
      const config = (value ?? {}) as ValidationConfig;
      const validators = validatedParts.flatMap((part) => {
        const schema = config[part];
        if (schema === undefined || schema === false) return [];
        const expected = expectedOfSchema(schema);
        const own = makeValidator(schema, settings.validationOptions);
        const choose = part === "body" ? route?.origin.bodySchema : undefined;
        const validatorOf = choose === undefined ? () => own : chosenValidator(own, choose, settings);
        return [{ part, validatorOf, read: (request: Request) => readPart(part, request, route, expected) }];
      });
      if (validators.length === 0) return [];
      const bodyView = config.body === undefined || config.body === false ? undefined : route?.origin.bodyView;
      return [bodyView === undefined ? validateRequest(validators) : validateInView(validators, bodyView)];
    },
    check(value, route) {
      const config = (value ?? {}) as ValidationConfig;
      const hasSchemas = validatedParts.some((part) => config[part] !== undefined);
      const isGenerated = route.origin.model !== undefined;
      if (hasSchemas || settings.strict !== true || isGenerated) {
        const issues = dtoIssues(config, route);
        // The expected types are computed at startup, not by the first request, except for those of models.
        if (issues.length === 0 && !isGenerated) for (const part of validatedParts) expectedOfSchema(config[part]);
        return issues;
      }
      return [{ where: routeName(route), message: notValidated }];
    },
    checkPlain(where) {
      const message = `${notValidated} Declare the route: \`router.get({ path, validation }, handler)\`.`;
      return settings.strict === true ? [{ where, message }] : [];
    },
  };
}

const notValidated =
  "validation.strict requires a validation block. Set `validation: { body: false }` if the route has none.";

function dtoIssues(config: ValidationConfig, route: DeclaredRoute): StartupIssue[] {
  const classes = validatedParts.flatMap((part) => {
    const schema = config[part];
    return isDtoClass(schema) ? [schema] : [];
  });
  return classes.flatMap(checkDtoClass).map((message) => ({ where: routeName(route), message }));
}

interface PartValidator {
  readonly part: ValidatedPart;
  readonly validatorOf: (request: Request) => Validator;
  /** The value of the part, its texts converted to the expected types. */
  readonly read: (request: Request) => unknown;
}

/** The validator of the schema that a generated route chooses for a request. */
function chosenValidator(
  own: Validator,
  choose: (request: Request) => Schema | undefined,
  { validationOptions }: ValidationSettings,
): PartValidator["validatorOf"] {
  const cache = new Map<Schema, Validator>();
  return (request) => {
    const schema = choose(request);
    if (schema === undefined) return own;
    const validator = cache.get(schema) ?? makeValidator(schema, validationOptions);
    cache.set(schema, validator);
    return validator;
  };
}

/**
 * Converts text to the types that the schema expects (contract C63): the path, a form, and the query if it was parsed
 * for another route, as after `next("route")`.
 */
function readPart(
  part: ValidatedPart,
  request: Request,
  route: DeclaredRoute | undefined,
  expected: ExpectedValue | undefined,
): unknown {
  if (part === "params") return readValues(request.params, expected);
  if (part === "body") return isForm(request) ? readValues(request.body, expected) : request.body;
  const reader = matchState(request)?.queryReader;
  return reader === undefined || reader.route === route ? request.query : reader.readQuery(request, expected);
}

const isForm = ({ headers }: Request): boolean =>
  /^\s*(application\/x-www-form-urlencoded|multipart\/)/i.test(headers["content-type"] ?? "");

function validateRequest(validators: readonly PartValidator[]): RequestHandler {
  return function validateRequest(request, _response, next) {
    return validateParts(validators, request, (verdicts) => next(applyVerdicts(request, validators, verdicts)));
  };
}

/** Calls back with the result of each part: synchronously, unless one of them is asynchronous. */
function validateParts(
  validators: readonly PartValidator[],
  request: Request,
  proceed: (verdicts: readonly ValidationResult[]) => void,
): void | Promise<void> {
  const verdicts = validators.map((each) => verdictOf(each, request));
  if (verdicts.some((verdict) => verdict instanceof Promise)) return Promise.all(verdicts).then(proceed);
  proceed(verdicts as ValidationResult[]);
}

/** Like {@link validateRequest}, for a body with keys that not every caller sees. */
function validateInView(
  validators: readonly PartValidator[],
  bodyView: NonNullable<DeclaredRoute["origin"]["bodyView"]>,
): RequestHandler {
  const validate = validateRequest(validators);
  return function validateInView(request, response, next) {
    const validateView = (view: BodyView | undefined): void | Promise<void> => {
      if (view === undefined) return validate(request, response, next) as void | Promise<void>;
      request.body = view.conceal(request.body);
      return validateParts(validators, request, (verdicts) => {
        const seen = verdicts.map((verdict, index) =>
          verdict.valid || validators[index]?.part !== "body"
            ? verdict
            : { ...verdict, issues: [...view.report(verdict.issues)] },
        );
        next(applyVerdicts(request, validators, seen));
      });
    };
    const view = bodyView(request);
    return view instanceof Promise ? view.then(validateView) : validateView(view);
  };
}

function verdictOf(
  { part, validatorOf, read }: PartValidator,
  request: Request,
): ValidationResult | Promise<ValidationResult> {
  let value: unknown;
  let verdict: ValidationResult | Promise<ValidationResult>;
  try {
    value = read(request);
    verdict = validatorOf(request)(value, part);
  } catch (error) {
    // An exception here would leave the promise of another part unhandled.
    return Promise.reject(error);
  }
  if (part !== "body" || value !== undefined) return verdict;
  return verdict instanceof Promise ? verdict.then(orMissingBody) : orMissingBody(verdict);
}

/** If a body is required and missing, that is the only issue. */
function orMissingBody(verdict: ValidationResult): ValidationResult {
  if (verdict.valid) return verdict;
  return { valid: false, issues: [{ in: "body", path: "", code: "RequiredValue", message: "A body is required." }] };
}

/** Sets the schemas' output, or passes the error. */
function applyVerdicts(
  request: Request,
  validators: readonly PartValidator[],
  verdicts: readonly ValidationResult[],
): HttpError | undefined {
  const issues: ValidationIssue[] = verdicts.flatMap((verdict) => (verdict.valid ? [] : verdict.issues));
  if (issues.length > 0) return httpErrors.ValidationError(undefined, { errors: issues, stack: false });
  verdicts.forEach((verdict, index) => {
    const part = validators[index]?.part;
    if (!verdict.valid || part === undefined) return;
    if (part === "query") setQuery(request, verdict.value);
    else if (part === "body") request.body = verdict.value;
    else request.params = verdict.value as Request["params"];
  });
  return undefined;
}
