import type { ChangeLog, Clause, Model, Row, RowChanged, StoredField } from "@servicekit/prisma";
import { recordedFields, toJsonField, writeKey } from "@servicekit/prisma/internal";

/** Who and what made a change. */
export interface ChangeOrigin {
  /**
   * `user:<id>`, `key:<id>` of an API key, `external:<issuer>:<id>`, `anonymous`, `job:<queue>` in a job, or `system`
   * outside of requests.
   */
  readonly actor: string;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
}

/** The options of a change log. */
export interface ChangeLogOptions {
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
  /** The names of the models whose changes are stored. */
  readonly recorded: ReadonlySet<string>;
  /** Returns the origin of a change that is being made. */
  readonly origin: () => ChangeOrigin;
  /** Called after each commit of changes, such as {@link ChangeSignal.committed}. */
  readonly onCommit?: () => void;
}

/** Stores changes in a model of the schema. Hidden fields are never stored. */
export function makeChangeLog({ model: changes, recorded, origin, onCommit }: ChangeLogOptions): ChangeLog {
  const known = new Map<string, readonly StoredField[]>();
  const fieldsOf = (model: Model): readonly StoredField[] => {
    const found = known.get(model.name) ?? recordedFields(model);
    known.set(model.name, found);
    return found;
  };
  return {
    fieldsOf: (model) => (recorded.has(model.name) ? fieldsOf(model).map(({ name }) => name) : undefined),
    entry: (model) => ({ changes, data: { model: model.name, ...toColumns(origin()) } }),
    async store(of, model, made) {
      if (made.length === 0) return;
      const fields = fieldsOf(model);
      const data = made.map((change) => toRow(change, model, fields, origin()));
      await of(changes).createMany({ data, select: { id: true } });
    },
    ...(onCommit === undefined ? {} : { committed: onCommit }),
  };
}

function toRow(change: RowChanged, model: Model, fields: readonly StoredField[], origin: ChangeOrigin): Clause {
  const before = "before" in change ? { before: toState(change.before, fields) } : {};
  const after = "after" in change ? { after: toState(change.after, fields) } : {};
  return {
    model: model.name,
    key: writeKey(model, "before" in change ? change.before : change.after),
    operation: change.operation,
    ...toColumns(origin),
    ...before,
    ...after,
  };
}

const toColumns = ({ actor, requestId, traceId }: ChangeOrigin): Clause => ({
  actor,
  requestId: requestId ?? null,
  traceId: traceId ?? null,
});

/** A row in the form of a response (contract C4). */
const toState = (row: Row, fields: readonly StoredField[]): Row =>
  Object.fromEntries(fields.map((field) => [field.name, toJsonField(field, row[field.name])]));
