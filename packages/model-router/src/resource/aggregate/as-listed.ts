import { queryableFields, type Resource, type Resources } from "../resource.js";

const known = new WeakMap<Resources, Resources>();

/**
 * Resources with what lists return only: the fields and relations that the default options of a list exclude are
 * unknown, also those that a filter may use.
 */
export function asListed(resources: Resources): Resources {
  const found = known.get(resources);
  if (found !== undefined) return found;
  const made = new Map([...resources].map(([name, resource]) => [name, listedOnly(resource)]));
  known.set(resources, made);
  return made;
}

function listedOnly(resource: Resource): Resource {
  const { fields, relations } = resource.shown.findMany;
  const shown = [...resource.relations].filter(([name]) => relations?.has(name) !== false);
  const queryable = queryableFields(fields, resource.computed, resource.shown.findMany);
  return { ...resource, fields, listed: fields, queryable, relations: new Map(shown) };
}
