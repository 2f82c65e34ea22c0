import { type IssueList, isObject } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import { storedFields } from "@servicekit/prisma/internal";
import { isZodSchema } from "@servicekit/router/internal";
import type { z } from "zod";
import { valueSchema } from "../resource/config/computed-models.js";

/**
 * Validates the computed fields of a model (contract C102). Values of a wrong type are ignored, because the schema of
 * the configuration reports them.
 */
export function checkComputed(where: string, computed: unknown, model: Model, issues: IssueList): void {
  for (const [name, config] of isObject(computed) ? Object.entries(computed) : []) {
    const place = `${where}.computed.${name}`;
    const known = model.fieldsByName.get(name);
    if (known !== undefined && known.kind !== "computed")
      issues.add(place, `${model.name} already has a field ${name}.`);
    else if (!/^[A-Za-z][A-Za-z\d]*(_[A-Za-z\d]+)*$/.test(name))
      issues.add(place, "Expected a name of letters, digits and single underscores.");
    if (!isObject(config)) continue;
    checkType(`${place}.type`, config.type, issues);
    checkNeeds(`${place}.needs`, config.needs, model, issues);
    const { needs, compute } = config;
    if ((needs === undefined) !== (compute === undefined))
      issues.add(place, `Expected both needs and compute, found only ${needs === undefined ? "compute" : "needs"}.`);
    if (config.sql !== undefined && compute === undefined)
      issues.add(`${place}.sql`, "Add needs and compute, which return the same value.");
    if (compute instanceof Function && compute.constructor.name === "AsyncFunction")
      issues.add(`${place}.compute`, "Expected a synchronous function.");
  }
}

function checkType(place: string, type: unknown, issues: IssueList): void {
  if (!isZodSchema(type as z.ZodType)) return;
  try {
    valueSchema(type as z.ZodType);
  } catch (error) {
    const [why = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
    issues.add(place, `Expected the schema of a JSON value that is not recursive: ${why}`);
  }
}

function checkNeeds(place: string, needs: unknown, model: Model, issues: IssueList): void {
  const stored = storedFields(model).map(({ name }) => name);
  for (const name of Array.isArray(needs) ? needs : []) {
    if (typeof name !== "string" || stored.includes(name)) continue;
    if (model.fieldsByName.get(name)?.kind === "relation")
      issues.add(place, `${name} is a relation of ${model.name}; needs lists stored fields.`);
    else issues.unknown(place, "field", name, stored);
  }
}
