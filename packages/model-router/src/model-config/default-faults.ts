import { isObject } from "@servicekit/field-path";
import { isHidden, isSortable, type Model, type StoredField } from "@servicekit/orm";

/** Says what is wrong with the default options of an operation: the path of a value and a sentence. */
export function defaultFaults(options: unknown, isList: boolean, model: Model): readonly (readonly [string, string])[] {
  if (!isObject(options)) return [["", "Expected an object of query options."]];
  const known = ["where", "select", "omit", ...(isList ? ["orderBy", "take"] : [])];
  const faults: [string, string][] = [];
  const isStored = (name: string): boolean => {
    const field = model.fieldsByName.get(name);
    return field !== undefined && field.kind !== "unsupported" && field.kind !== "relation" && !isHidden(field);
  };
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!known.includes(key))
      faults.push([`.${key}`, `There is no query option ${key}; known are ${known.join(", ")}.`]);
    else if (key === "take") {
      if (!Number.isSafeInteger(value) || (value as number) < 1)
        faults.push([".take", "Expected a whole number of at least 1."]);
    } else if (key === "orderBy") {
      for (const order of ([] as unknown[]).concat(value)) {
        for (const [name, direction] of Object.entries(isObject(order) ? order : { [String(order)]: order })) {
          const field = model.fieldsByName.get(name);
          const isUsable = isStored(name) && isSortable(field as StoredField);
          if (!isUsable || (direction !== "asc" && direction !== "desc")) {
            faults.push([".orderBy", `Expected visible fields of ${model.name} with asc or desc; ${name} is none.`]);
          }
        }
      }
    } else if (!isObject(value)) faults.push([`.${key}`, "Expected an object."]);
    else if (key !== "where") {
      for (const name of Object.keys(value)) {
        const isRelation = key === "select" && model.fieldsByName.get(name)?.kind === "relation";
        if (!isRelation && !isStored(name)) faults.push([`.${key}`, `${model.name} has no visible field ${name}.`]);
      }
    }
  }
  if (
    isObject(options.select) &&
    !Object.entries(options.select).some(([name, given]) => given === true && isStored(name))
  ) {
    faults.push([".select", "Expected at least one visible field to show."]);
  }
  if (options.select !== undefined && options.omit !== undefined)
    faults.push(["", "select and omit exclude each other."]);
  return faults;
}
