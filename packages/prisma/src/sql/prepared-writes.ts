import { isPlainObject } from "@servicekit/core/internal";
import { isOperand } from "../conditions/check-operand.js";
import { isHidden } from "../models/is-hidden.js";
import type { Model, StoredField, UniqueKey } from "../models/model.js";
import { type Clause, type CreateArgs, type DeleteArgs, type UpdateArgs } from "../queries/query-args.js";
import { columnOf, parameterOf } from "./column.js";
import { giveUp } from "./not-foldable.js";
import type { Shape } from "./shape.js";
import type { Statement } from "./statement.js";
import {
  deleteSql,
  insertedOf,
  insertSql,
  type RecordedChange,
  updatedOf,
  updateSql,
  type WriteStatement,
} from "./write-statement.js";

/** A write of one row, ready to be sent. */
export interface CompiledWrite {
  readonly statement: WriteStatement;
  readonly values: readonly unknown[];
}

/** The result for a written row: its JSON, and its key. */
export interface SeenShapes {
  /** The visible fields. */
  readonly json: Shape;
  readonly key: Shape;
}

/**
 * Maximum number of statements per selection. Bodies may have any set of fields; further ones are compiled each time.
 */
const maxStatements = 100;

/** The cache of writes with the same result. */
interface KnownWrites {
  readonly model: Model;
  /** By the fields that they set and the key that identifies their row. */
  readonly statements: Map<string, WriteStatement>;
  /** For the last caller models. */
  lastSeen: { readonly seen: Model; readonly shapes: SeenShapes } | undefined;
}

/**
 * Compiles writes of one row. Repeated writes are compiled once: the text contains the set fields and the key, but no
 * values.
 */
export class PreparedWrites {
  readonly #open: () => Statement;
  /** By selection. */
  readonly #known = new WeakMap<object, KnownWrites>();

  constructor(open: () => Statement) {
    this.#open = open;
  }

  create(model: Model, args: CreateArgs, now: Date, change?: RecordedChange): CompiledWrite {
    const { data, select, ...more } = args;
    if (Object.keys(more).length > 0 || !model.isCreatable) return giveUp();
    const written = insertedOf(model, data, now);
    return this.#fold(
      model,
      select,
      kindOf(`create ${written.names}`, change),
      valuesOf(written.values, change),
      (statement) => insertSql(statement, model, written, select, change),
    );
  }

  update(model: Model, args: UpdateArgs, now: Date, change?: RecordedChange): CompiledWrite {
    const { where, data, select, ...more } = args;
    // Prisma turns an update without changes into a read.
    if (Object.keys(more).length > 0 || Object.keys(data).length === 0) return giveUp();
    const written = updatedOf(model, data, now);
    const named = plainKey(where, model);
    const kind = named && `update ${named.key.name}:${written.names}`;
    const values = valuesOf([...written.values, ...(named?.values ?? [])], change);
    return this.#fold(model, select, kind && kindOf(kind, change), values, (statement) =>
      updateSql(statement, model, written, where, select, change),
    );
  }

  delete(model: Model, args: DeleteArgs, change?: RecordedChange): CompiledWrite {
    const { where, select, ...more } = args;
    if (Object.keys(more).length > 0 || model.isView) return giveUp();
    const named = plainKey(where, model);
    const kind = named && kindOf(`delete ${named.key.name}`, change);
    return this.#fold(model, select, kind, valuesOf(named?.values ?? [], change), (statement) =>
      deleteSql(statement, model, where, select, change),
    );
  }

  /** The rows of a statement as a caller sees them. */
  shapesOf(model: Model, select: Clause | undefined, { shape }: WriteStatement, seen: Model): SeenShapes {
    const known = this.#knownOf(model, select);
    if (known?.lastSeen?.seen === seen) return known.lastSeen.shapes;
    const names = model.key?.fields.map(({ name }) => name) ?? [];
    const shapes = { json: seenOf(shape, seen), key: shape.filter(({ name }) => names.includes(name)) };
    if (known !== undefined) known.lastSeen = { seen, shapes };
    return shapes;
  }

  /**
   * @param kind the cache key for writes with the same statement; `undefined` if values change the text
   * @param values the parameters of such a statement
   */
  #fold(
    model: Model,
    select: Clause | undefined,
    kind: string | undefined,
    values: readonly unknown[],
    write: (statement: Statement) => WriteStatement,
  ): CompiledWrite {
    const statements = kind === undefined ? undefined : this.#knownOf(model, select)?.statements;
    const stored = kind === undefined ? undefined : statements?.get(kind);
    if (stored !== undefined) return { statement: stored, values };
    const open = this.#open();
    const statement = write(open);
    if (statements !== undefined && kind !== undefined) {
      const [oldest] = statements.keys();
      if (statements.size >= maxStatements && oldest !== undefined) statements.delete(oldest);
      statements.set(kind, statement);
    }
    return { statement, values: open.values };
  }

  /** A mutable selection may differ in the next write. */
  #knownOf(model: Model, select: Clause | undefined): KnownWrites | undefined {
    if (select === undefined) return undefined;
    const known = this.#known.get(select);
    if (known?.model === model) return known;
    if (!Object.isFrozen(select)) return undefined;
    const made: KnownWrites = { model, statements: new Map(), lastSeen: undefined };
    this.#known.set(select, made);
    return made;
  }
}

/** The cache key of a write; a recorded one has another statement. */
const kindOf = (kind: string, change: RecordedChange | undefined): string =>
  change === undefined ? kind : `${kind} with ${change.columns.names}`;

/** The parameters of a write, and those of its change. */
const valuesOf = (values: readonly unknown[], change: RecordedChange | undefined): readonly unknown[] =>
  change === undefined ? values : [...values, ...change.columns.values];

function seenOf(shape: Shape, seen: Model): Shape {
  const shown = shape.filter(({ name }) => {
    const field = seen.fieldsByName.get(name);
    return field === undefined || !isHidden(field);
  });
  return shown.length === 0 ? giveUp() : shown;
}

/** Whether the SQL of a key is the same for this value as for others. An integer out of range, for example, has none. */
const isKeyValue = (field: StoredField, value: unknown): boolean =>
  columnOf(field).isComparable && isOperand(field, value);

/** The key of a condition, and its values as parameters; `undefined` if it contains more, or a value without SQL. */
function plainKey(
  where: Clause,
  { fieldsByName, uniqueKeys }: Model,
): { readonly key: UniqueKey; readonly values: readonly unknown[] } | undefined {
  const [name = "", ...others] = Object.keys(where);
  const key = others.length === 0 ? uniqueKeys.find((one) => one.name === name) : undefined;
  const [field, ...more] = key?.fields ?? [];
  if (key === undefined || field === undefined) return undefined;
  const named = where[name];
  if (more.length === 0) {
    if (field.name !== name || !isKeyValue(field, named)) return undefined;
    return { key, values: [parameterOf(field, named)] };
  }
  if (fieldsByName.has(name) || !isPlainObject(named) || Object.keys(named).length !== key.fields.length)
    return undefined;
  if (!key.fields.every((part) => isKeyValue(part, named[part.name]))) return undefined;
  return { key, values: key.fields.map((part) => parameterOf(part, named[part.name])) };
}
