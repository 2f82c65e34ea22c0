import { type FieldFault, type HttpError, httpErrors, type StartFault } from "@servicekit/core";
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
import { isDtoClass } from "../validation/schema.js";
import { type Validator, type Verdict } from "../validation/validator.js";

/** How declared routes are validated. */
export interface ValidationSettings {
  /** Whether every declared route must say how it is validated (contract C48). @default false */
  readonly strict?: boolean;
  /** Options that go to the library: to Zod's `safeParse`, or to class-validator's `validate`. */
  readonly validationOptions?: Readonly<Record<string, unknown>>;
}

/**
 * The step of `validation`: checks body, query and params together, answers 400 with every fault (contract C3), and
 * puts what the schemas make of the values in their place.
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
        const validate = makeValidator(schema, settings.validationOptions);
        return [{ part, validate, read: (request: Request) => readPart(part, request, route, expected) }];
      });
      if (validators.length === 0) return [];
      const bodyView = config.body === undefined || config.body === false ? undefined : route?.origin.bodyView;
      return [bodyView === undefined ? validateRequest(validators) : validateInView(validators, bodyView)];
    },
    check(value, route) {
      const config = (value ?? {}) as ValidationConfig;
      const says = validatedParts.some((part) => config[part] !== undefined);
      const isGenerated = route.origin.model !== undefined;
      if (says || settings.strict !== true || isGenerated) {
        const faults = dtoFaults(config, route);
        // What the schemas expect is found out at start, not by the first request: but those of models are made only then.
        if (faults.length === 0 && !isGenerated) for (const part of validatedParts) expectedOfSchema(config[part]);
        return faults;
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
  "validation.strict asks for a validation block; `validation: { body: false }` says that there is none on purpose.";

function dtoFaults(config: ValidationConfig, route: DeclaredRoute): StartFault[] {
  const classes = validatedParts.flatMap((part) => {
    const schema = config[part];
    return isDtoClass(schema) ? [schema] : [];
  });
  return classes.flatMap(checkDtoClass).map((message) => ({ where: routeName(route), message }));
}

interface PartValidator {
  readonly part: ValidatedPart;
  readonly validate: Validator;
  /** The value of the part, its texts read as what the schema expects. */
  readonly read: (request: Request) => unknown;
}

/**
 * What came as text is read as what the schema expects of it (contract C63): the path, a form, and the query where it was
 * read for another route, as after `next("route")`.
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
    return whenJudged(validators, request, (verdicts) => next(applyVerdicts(request, validators, verdicts)));
  };
}

/** Calls on with the verdict on each part: in this turn, unless one of them has to wait. */
function whenJudged(
  validators: readonly PartValidator[],
  request: Request,
  goOn: (verdicts: readonly Verdict[]) => void,
): void | Promise<void> {
  const verdicts = validators.map((each) => verdictOf(each, request));
  if (verdicts.some((verdict) => verdict instanceof Promise)) return Promise.all(verdicts).then(goOn);
  goOn(verdicts as Verdict[]);
}

/** As {@link validateRequest}, of a body in which keys stand that not every caller sees. */
function validateInView(
  validators: readonly PartValidator[],
  bodyView: NonNullable<DeclaredRoute["origin"]["bodyView"]>,
): RequestHandler {
  const validate = validateRequest(validators);
  return function validateInView(request, response, next) {
    const judge = (view: BodyView | undefined): void | Promise<void> => {
      if (view === undefined) return validate(request, response, next) as void | Promise<void>;
      request.body = view.conceal(request.body);
      return whenJudged(validators, request, (verdicts) => {
        const seen = verdicts.map((verdict, index) =>
          verdict.valid || validators[index]?.part !== "body"
            ? verdict
            : { ...verdict, faults: [...view.tell(verdict.faults)] },
        );
        next(applyVerdicts(request, validators, seen));
      });
    };
    const view = bodyView(request);
    return view instanceof Promise ? view.then(judge) : judge(view);
  };
}

function verdictOf({ part, validate, read }: PartValidator, request: Request): Verdict | Promise<Verdict> {
  let value: unknown;
  let verdict: Verdict | Promise<Verdict>;
  try {
    value = read(request);
    verdict = validate(value, part);
  } catch (error) {
    // Thrown here it would leave the promise of another part behind.
    return Promise.reject(error);
  }
  if (part !== "body" || value !== undefined) return verdict;
  return verdict instanceof Promise ? verdict.then(orMissingBody) : orMissingBody(verdict);
}

/** Where a body is needed and none came, that is the one fault to tell. */
function orMissingBody(verdict: Verdict): Verdict {
  if (verdict.valid) return verdict;
  return { valid: false, faults: [{ in: "body", path: "", code: "RequiredValue", message: "A body is needed." }] };
}

/** Puts what the schemas have made in its place, or tells the error that refuses the request. */
function applyVerdicts(
  request: Request,
  validators: readonly PartValidator[],
  verdicts: readonly Verdict[],
): HttpError | undefined {
  const faults: FieldFault[] = verdicts.flatMap((verdict) => (verdict.valid ? [] : verdict.faults));
  if (faults.length > 0) return httpErrors.ValidationError(undefined, { errors: faults, stack: false });
  verdicts.forEach((verdict, index) => {
    const part = validators[index]?.part;
    if (!verdict.valid || part === undefined) return;
    if (part === "query") setQuery(request, verdict.value);
    else if (part === "body") request.body = verdict.value;
    else request.params = verdict.value as Request["params"];
  });
  return undefined;
}
