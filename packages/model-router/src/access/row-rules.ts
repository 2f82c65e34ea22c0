import type { Models } from "@servicekit/prisma";
import { allOf, type Filter, noRow, notOf, readConfiguredFilter, readRowFilter } from "@servicekit/prisma/internal";
import type { Request } from "express";
import type { RowRule } from "../model-config/model-auth.js";
import type { ModelConfig } from "../model-config/model-config.js";
import { accessOfOperation } from "../resource/config/of-operation.js";
import type { Right } from "../resource/config/operation.js";
import { type DeletedRows, softDeleteOptions } from "../resource/config/soft-delete.js";

/**
 * The row rules of a service by model and operation, the filters of default query options, and soft delete; created at
 * startup.
 */
export interface RowRules {
  /** Whether any rule depends on the request. */
  readonly areSome: boolean;
  /** The rules for one request: each is evaluated at most once. */
  of(request: Request): RequestRules;
  /** The rules that also apply to superusers: default query options and soft delete; `undefined` without any. */
  readonly standing: RequestRules | undefined;
}

type Rows = Filter | undefined | Promise<Filter | undefined>;

/** The evaluated row rules of one request. */
export interface RequestRules {
  /** The rows that the operation may reach; `undefined` for all. @param deleted which rows, by their deletion */
  rows(model: string, operation: Right, deleted?: DeletedRows): Rows;
  /** The rows that the operation may produce; `undefined` for all. */
  produces(model: string, operation: Right): Rows;
  /** Whether a row written by one operation can be read by another without a check. */
  covers(model: string, left: Right, read: Right): boolean;
}

/** Reads the row rules from the models' configuration: the model's own and that of the operation are combined. */
export function makeRowRules(models: Models, configs: Readonly<Record<string, ModelConfig>>): RowRules {
  const areSome = Object.values(configs).some(({ auth }) => auth !== undefined && hasRule(auth));
  const filters = standingFilters(models, configs);
  const present = presentRows(models, configs);
  const defaults = (name: string, operation: Right): Filter | undefined => {
    if (operation === "createOne" || operation === "createMany") return undefined;
    return filters.get(name)?.[operation === "findOne" ? "findOne" : "findMany"];
  };
  const standing = (name: string, operation: Right, deleted: DeletedRows = "exclude"): Filter | undefined => {
    const always = defaults(name, operation);
    const isPresent = present.get(name);
    if (isPresent === undefined || deleted === "include" || operation.startsWith("create")) return always;
    return allRules([deleted === "only" ? notOf(isPresent) : isPresent, always]);
  };
  const rulesOf = (name: string, operation: Right): readonly RowRule[] => {
    const auth = configs[name]?.auth;
    return [auth?.where, ruleOf(accessOfOperation(auth, operation))].filter((rule) => rule !== undefined);
  };
  return {
    areSome,
    standing:
      filters.size === 0 && present.size === 0
        ? undefined
        : {
            rows: standing,
            produces: () => undefined,
            // No write leaves a deleted row behind that its response contains.
            covers: (name, _left, read) => defaults(name, read) === undefined,
          },
    of(request) {
      const evaluated = new Map<string, Map<RowRule, Promise<Filter | undefined>>>();
      const evaluate = (name: string, rule: RowRule): Promise<Filter | undefined> => {
        const ofModel = evaluated.get(name) ?? new Map<RowRule, Promise<Filter | undefined>>();
        evaluated.set(name, ofModel);
        const result = ofModel.get(rule) ?? evaluateRule(rule, name, models, request);
        ofModel.set(rule, result);
        return result;
      };
      const produces = (name: string, operation: Right): Rows => {
        const [first, ...others] = rulesOf(name, operation);
        if (first === undefined) return undefined;
        if (others.length === 0) return evaluate(name, first);
        return Promise.all([first, ...others].map((rule) => evaluate(name, rule))).then(allRules);
      };
      return {
        produces,
        rows(name, operation, deleted) {
          const rules = produces(name, operation);
          const always = standing(name, operation, deleted);
          if (always === undefined || rules === undefined) return rules ?? always;
          return Promise.resolve(rules).then((rule) => allRules([always, rule]));
        },
        covers(name, left, read) {
          const applied = rulesOf(name, left);
          return defaults(name, read) === undefined && rulesOf(name, read).every((rule) => applied.includes(rule));
        },
      };
    },
  };
}

/** The filters of default query options, which apply to each read of a model by any caller. */
function standingFilters(models: Models, configs: Readonly<Record<string, ModelConfig>>) {
  const filters = new Map<string, Partial<Record<"findMany" | "findOne", Filter>>>();
  for (const [name, { query }] of Object.entries(configs)) {
    const model = models.get(name);
    for (const operation of ["findMany", "findOne"] as const) {
      const where = query?.[operation]?.where;
      if (model === undefined || where === undefined) continue;
      filters.set(name, { ...filters.get(name), [operation]: readConfiguredFilter(where, model, models) });
    }
  }
  return filters;
}

/** The rows that are not deleted, by the models with soft delete (contract C101). */
function presentRows(models: Models, configs: Readonly<Record<string, ModelConfig>>): ReadonlyMap<string, Filter> {
  return new Map(
    [...models].flatMap(([name, model]) => {
      const options = softDeleteOptions(configs[name]);
      return options === undefined ? [] : [[name, readRowFilter({ [options.field]: null }, model, models)] as const];
    }),
  );
}

async function evaluateRule(
  rule: RowRule,
  name: string,
  models: Models,
  request: Request,
): Promise<Filter | undefined> {
  const model = models.get(name);
  if (model === undefined) throw new TypeError(`Unknown model ${name}.`);
  const result: unknown = await rule(request);
  if (result === true) return undefined;
  return result === false ? noRow : readRowFilter(result, model, models);
}

function allRules(rules: readonly (Filter | undefined)[]): Filter | undefined {
  const given = rules.filter((rule) => rule !== undefined);
  return given.length === 0 ? undefined : allOf(given);
}

const ruleOf = (access: unknown): RowRule | undefined =>
  typeof access === "object" && access !== null ? (access as { readonly where?: RowRule }).where : undefined;

const hasRule = (auth: object): boolean =>
  "where" in auth || Object.values(auth).some((access) => ruleOf(access) !== undefined);
