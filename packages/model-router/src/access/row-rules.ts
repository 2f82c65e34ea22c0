import type { Models } from "@servicekit/orm";
import type { Operation } from "@servicekit/resource";
import { allWhere, noRow, readRowFilter, type Where } from "@servicekit/resource";
import type { Request } from "express";
import type { RowRule } from "../model-config/model-auth.js";
import type { ModelConfig } from "../model-config/model-config.js";

/** The row rules of a service by model and operation; made at start. */
export interface RowRules {
  /** Whether there is any. */
  readonly areSome: boolean;
  /** The rules for one request: each is asked at most once. */
  of(request: Request): RequestRules;
}

/** The row rules as they are for one request. */
export interface RequestRules {
  /** The rows that the operation may reach; `undefined` for all. */
  rows(model: string, operation: Operation): Where | undefined | Promise<Where | undefined>;
}

/** Reads the row rules out of the models' configuration: the model's own and that of the operation both hold. */
export function makeRowRules(models: Models, configs: Readonly<Record<string, ModelConfig>>): RowRules {
  const areSome = Object.values(configs).some(({ auth }) => auth !== undefined && hasRule(auth));
  return {
    areSome,
    of(request) {
      const asked = new Map<string, Map<RowRule, Promise<Where | undefined>>>();
      const ask = (name: string, rule: RowRule): Promise<Where | undefined> => {
        const ofModel = asked.get(name) ?? new Map<RowRule, Promise<Where | undefined>>();
        asked.set(name, ofModel);
        const answer = ofModel.get(rule) ?? askRule(rule, name, models, request);
        ofModel.set(rule, answer);
        return answer;
      };
      return {
        rows(name, operation) {
          const auth = configs[name]?.auth;
          const rules = [auth?.where, ruleOf(auth?.[operation])].filter((rule) => rule !== undefined);
          const [first] = rules;
          if (first === undefined) return undefined;
          if (rules.length === 1) return ask(name, first);
          return Promise.all(rules.map((rule) => ask(name, rule))).then(allWhere);
        },
      };
    },
  };
}

async function askRule(rule: RowRule, name: string, models: Models, request: Request): Promise<Where | undefined> {
  const model = models.get(name);
  if (model === undefined) throw new TypeError(`There is no model ${name}.`);
  const answer: unknown = await rule(request);
  if (answer === true) return undefined;
  return answer === false ? noRow(model) : readRowFilter(answer, model, models);
}

const ruleOf = (access: unknown): RowRule | undefined =>
  typeof access === "object" && access !== null ? (access as { readonly where?: RowRule }).where : undefined;

const hasRule = (auth: object): boolean =>
  "where" in auth || Object.values(auth).some((access) => ruleOf(access) !== undefined);
