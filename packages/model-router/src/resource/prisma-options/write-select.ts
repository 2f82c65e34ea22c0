import { isPlainObject } from "@servicekit/core/internal";
import type { Model, Models } from "@servicekit/prisma";
import type { Filter } from "@servicekit/prisma/internal";
import { toWhere } from "@servicekit/prisma/internal";
import type { Select } from "../shown.js";

/** A `select` in the ORM's form: with the filters of its relations and counts. */
export function writeSelect(select: Select, model: Model, models: Models): Select {
  return Object.fromEntries(
    Object.entries(select).map(([name, value]) => {
      if (!isPlainObject(value)) return [name, value];
      if (name === "_count") {
        return [name, { select: writeSelect(value.select as Select, model, models) }];
      }
      const target = models.get(model.fieldsByName.get(name)?.type ?? "");
      return [name, target === undefined ? value : writeArguments(value, target, models)];
    }),
  );
}

function writeArguments(args: Select, model: Model, models: Models): Select {
  const { where, select } = args;
  return {
    ...args,
    ...(where === undefined ? {} : { where: toWhere(where as Filter, model) }),
    ...(isPlainObject(select) ? { select: writeSelect(select, model, models) } : {}),
  };
}
