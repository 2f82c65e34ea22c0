import { type Dependent, dependentsOf, isCascade, isRestrict } from "../models/dependents.js";
import { storedFields } from "../models/is-stored.js";
import type { Model, Models, StoredField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import type { ChangeLog } from "./change-log.js";

/** What the writes of a recorded model need. */
export interface RecordedModel {
  /** The recorded fields, including those of the key. */
  readonly fields: readonly StoredField[];
  /** The same as a `select`. */
  readonly select: Clause;
  /** The selection of a write that also returns the recorded fields; the same object for the same selection. */
  withRecorded(select: Clause): Clause;
}

/** The recorded models of a database: made once, and used by every transaction. */
export interface RecordedModels {
  readonly log: ChangeLog;
  /** @returns `undefined` for a model whose changes are not recorded */
  find(model: Model): RecordedModel | undefined;
  /** The foreign keys through which a delete of a row deletes or changes other rows, if they lead to recorded ones. */
  dependents(model: Model): readonly Dependent[];
}

export function recordedModels(models: Models, log: ChangeLog): RecordedModels {
  const all = new Map(
    [...models.values()].flatMap((model) => {
      const fields = log.fieldsOf(model);
      return fields === undefined ? [] : [[model.name, recordedModel(model, fields)] as const];
    }),
  );
  const leadsToRecorded = (model: Model, seen: Set<string>): boolean => {
    if (seen.has(model.name)) return false;
    seen.add(model.name);
    return dependentsOf(model, models).some(({ model: other }) => all.has(other.name) || leadsToRecorded(other, seen));
  };
  const dependents = new Map(
    [...models.values()].map((parent) => [
      parent.name,
      dependentsOf(parent, models).filter(
        (one) =>
          !one.model.isView &&
          one.model.key !== undefined &&
          !isRestrict(one) &&
          (all.has(one.model.name) || (isCascade(one) && leadsToRecorded(one.model, new Set([parent.name])))),
      ),
    ]),
  );
  return {
    log,
    find: ({ name }) => all.get(name),
    dependents: ({ name }) => dependents.get(name) ?? [],
  };
}

function recordedModel(model: Model, names: readonly string[]): RecordedModel {
  const recorded: Clause = Object.freeze(Object.fromEntries(names.map((name) => [name, true])));
  const selections = new WeakMap<Clause, Clause>();
  return {
    fields: storedFields(model).filter(({ name }) => names.includes(name)),
    select: recorded,
    withRecorded(select) {
      const known = selections.get(select);
      if (known !== undefined) return known;
      const made = Object.freeze({ ...select, ...recorded });
      if (Object.isFrozen(select)) selections.set(select, made);
      return made;
    },
  };
}
