import type { Field, Model, Models, ScalarField } from "@servicekit/prisma";
import type { DrawnFeature } from "./cases.js";
import { databaseDifferences } from "./database-differences.js";
import { drawnModels } from "./fixtures.js";

const leftOut: ReadonlySet<string> = new Set(databaseDifferences.flatMap(({ fields = [] }) => fields));
const integers: ReadonlySet<string> = new Set(databaseDifferences.flatMap(({ integers: names = [] }) => names));

/** The models with the fields that all databases have, from which rows and requests are drawn. */
export const commonModels = (models: Models): Models =>
  new Map([...models].map(([name, model]) => [name, commonModel(model)]));

function commonModel(model: Model): Model {
  const isCommon = ({ name }: Field): boolean => !leftOut.has(`${model.name}.${name}`);
  const fields = model.fields.filter(isCommon).map((field) => asInteger(model, field));
  return {
    ...model,
    fields,
    fieldsByName: new Map(fields.map((field) => [field.name, field])),
    uniqueKeys: model.uniqueKeys.filter((key) => key.fields.every(isCommon)),
  };
}

const asInteger = (model: Model, field: Field): Field =>
  integers.has(`${model.name}.${field.name}`) && field.kind === "scalar"
    ? ({ ...field, type: "Int" } satisfies ScalarField)
    : field;

/** The features on a database, which hides its other fields. */
export function commonFeatures(features: readonly DrawnFeature[], models: Models): readonly DrawnFeature[] {
  return drawnModels(models).reduce<readonly DrawnFeature[]>((all, model) => {
    const names = model.fields.map(({ name }) => name).filter((name) => leftOut.has(`${model.name}.${name}`));
    if (names.length === 0) return all;
    const isHidden = ({ key, model: name }: DrawnFeature): boolean => key === "hidden" && name === model.name;
    const hidden = (all.find(isHidden)?.value ?? []) as readonly string[];
    return [
      ...all.filter((feature) => !isHidden(feature)),
      { key: "hidden", model: model.name, value: [...hidden, ...names] },
    ];
  }, features);
}

/** The fields that two databases do not have alike: with another type, or in one of them only. */
export function differentFields(one: Models, other: Models): readonly string[] {
  const typeOf = (models: Models, model: Model, name: string): string | undefined => {
    const field = models.get(model.name)?.fieldsByName.get(name);
    return field && JSON.stringify([field.kind, "type" in field && field.type, field.isList, field.isRequired]);
  };
  return drawnModels(one).flatMap((model) => {
    const names = [...model.fields, ...(other.get(model.name)?.fields ?? [])].map(({ name }) => name);
    return [...new Set(names)]
      .filter((name) => typeOf(one, model, name) !== typeOf(other, model, name))
      .map((name) => `${model.name}.${name}`);
  });
}
