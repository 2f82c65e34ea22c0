import { resourcePath } from "@servicekit/model-router/internal";
import type { Model, Models, RelationField, StoredField } from "@servicekit/prisma";
import { workshopConfigs } from "./workshop-models.js";

/** Values in the rows, visible or not, by type. */
const values: Readonly<Record<string, readonly string[]>> = {
  String: ["ours", "a draft", "sealed", "finish ours", "ben", "quietly", "A1", "B1"],
  Int: ["1", "2", "9", "20", "100"],
  Boolean: ["true", "false"],
};

const words = ["ours", "draft", "finish", "quietly", "another", "ben", "B1", "kept"];

/** Every read of a model, as paths. */
export function* readTargets(model: Model, models: Models): Generator<string> {
  const path = `/${resourcePath(model)}`;
  const relations = relationsOf(model, models);
  yield `${path}?limit=100`;
  for (const id of model.name === "Membership" ? ["1,5", "1,6", "2,3"] : [1, 2, 3, 4]) {
    yield `${path}/${id}`;
    for (const field of relations) yield `${path}/${id}?include=${field.name}`;
  }
  for (const word of words) yield `${path}?search=${word}`;
  for (const field of storedOf(model)) {
    yield `${path}?fields=${field.name}`;
    yield `${path}?sort=${field.name}`;
    yield `${path}?sort=-${field.name}&cursor=`;
    for (const condition of conditionsOf(field)) {
      yield `${path}?${field.name}${condition}`;
      yield `${path}?not[${field.name}]${condition}`;
    }
    yield options(path, { where: { [field.name]: { not: null } } });
    yield options(path, { distinct: [field.name] });
    yield options(path, { select: { [field.name]: true } });
  }
  for (const name of computedOf(model)) {
    yield `${path}?fields=${name}`;
    yield `${path}?sort=${name}`;
    yield `${path}?${name}__contains=ou`;
    yield options(path, { select: { [name]: true } });
    for (const id of [1, 2, 3]) yield `${path}/${id}?fields=${name}`;
  }
  for (const relation of relations) {
    const related = models.get(relation.type) as Model;
    yield `${path}?include=${relation.name}`;
    yield options(path, { include: { [relation.name]: true } });
    if (relation.isList) {
      yield options(path, { include: { _count: true } });
      yield options(path, { select: { _count: { select: { [relation.name]: true } } } });
      yield options(path, { orderBy: { [relation.name]: { _count: "desc" } } });
    } else {
      yield `${path}?${relation.name}__isNull=true`;
      yield `${path}?${relation.name}__isNull=false`;
      yield options(path, { where: { [relation.name]: null } });
    }
    for (const inner of relationsOf(related, models)) {
      yield `${path}?include=${relation.name}.${inner.name}`;
      const [deepest] = storedOf(models.get(inner.type) as Model).filter(({ type }) => type === "String");
      if (deepest !== undefined) yield `${path}?${relation.name}__${inner.name}__${deepest.name}__contains=ou`;
    }
    for (const name of computedOf(related))
      yield options(path, { include: { [relation.name]: { select: { [name]: true } } } });
    for (const field of storedOf(related)) {
      if (!relation.isList) yield `${path}?sort=${relation.name}.${field.name}`;
      yield options(path, { include: { [relation.name]: { select: { [field.name]: true } } } });
      yield options(path, { orderBy: { [relation.name]: { [field.name]: "asc" } } });
      for (const condition of conditionsOf(field)) {
        for (const quantor of relation.isList ? ["some", "every", "none"] : ["is", "isNot"]) {
          yield `${path}?${relation.name}__${quantor}__${field.name}${condition}`;
          yield `${path}?not[${relation.name}][${quantor}][${field.name}]${condition.replace(/^__(\w+)/, "[$1]")}`;
        }
      }
      if (relation.isList)
        yield options(path, { include: { [relation.name]: { where: { [field.name]: { not: null } }, take: 1 } } });
    }
  }
}

const computedOf = ({ name }: Model): readonly string[] => Object.keys(workshopConfigs[name]?.computed ?? {});

const options = (path: string, given: object): string =>
  `${path}?prismaQueryOptions=${encodeURIComponent(JSON.stringify(given))}`;

const storedOf = (model: Model): readonly StoredField[] =>
  model.fields.filter((field): field is StoredField => field.kind === "scalar");

const relationsOf = (model: Model, models: Models): readonly RelationField[] =>
  model.fields.filter((field): field is RelationField => field.kind === "relation" && models.has(field.type));

function conditionsOf({ type, isRequired }: StoredField): readonly string[] {
  const given = (values[type] ?? []).map((value) => `=${encodeURIComponent(value)}`);
  const more =
    type === "String" ? ["__contains=a", "__icontains=OU", "__gt=f"] : type === "Int" ? ["__gte=10", "__lt=3"] : [];
  return [...given, ...more, ...(isRequired ? [] : ["__isNull=true"])];
}
