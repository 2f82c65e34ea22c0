import { isPlainObject } from "@servicekit/core/internal";
import { isHidden } from "../is-hidden.js";
import { type Model, type UniqueKey } from "../model.js";
import { type Clause, type CreateArgs, type DeleteArgs, type UpdateArgs } from "../query-args.js";
import { columnOf, parameterOf } from "./column.js";
import { giveUp } from "./not-foldable.js";
import type { Shape } from "./shape.js";
import type { Statement } from "./statement.js";
import { deleteSql, insertedOf, insertSql, updatedOf, updateSql, type WriteStatement } from "./write-statement.js";

/** A write of one row, ready to be sent. */
export interface CompiledWrite {
  readonly statement: WriteStatement;
  readonly values: readonly unknown[];
}

/** What is told of a written row in the place of the row: its JSON, and its key. */
export interface ToldShapes {
  /** What is seen of it. */
  readonly json: Shape;
  readonly key: Shape;
}

/** Statements for each selection. Bodies may name any set of fields: one more than these is folded anew. */
const mostStatements = 100;

/** What is known of the writes that give back the same. */
interface KnownWrites {
  readonly model: Model;
  /** By what they set and by which key they name their row. */
  readonly statements: Map<string, WriteStatement>;
  /** For those who were told last. */
  told: { readonly seen: Model; readonly shapes: ToldShapes } | undefined;
}

/**
 * The fold of writes of one row. What is written again and again is folded once: its text says which fields are set and
 * which key names the row, and nothing of the values.
 */
export class KeptWrites {
  readonly #open: () => Statement;
  /** By what is selected. */
  readonly #known = new WeakMap<object, KnownWrites>();

  constructor(open: () => Statement) {
    this.#open = open;
  }

  create(model: Model, args: CreateArgs, now: Date): CompiledWrite {
    const { data, select, ...more } = args;
    if (Object.keys(more).length > 0 || !model.isCreatable) return giveUp();
    const written = insertedOf(model, data, now);
    return this.#fold(model, select, `create ${written.names}`, written.values, (statement) =>
      insertSql(statement, model, written, select),
    );
  }

  update(model: Model, args: UpdateArgs, now: Date): CompiledWrite {
    const { where, data, select, ...more } = args;
    // Of an update without changes Prisma makes a read.
    if (Object.keys(more).length > 0 || Object.keys(data).length === 0) return giveUp();
    const written = updatedOf(model, data, now);
    const named = plainKey(where, model);
    const kind = named && `update ${named.key.name}:${written.names}`;
    return this.#fold(model, select, kind, [...written.values, ...(named?.values ?? [])], (statement) =>
      updateSql(statement, model, written, where, select),
    );
  }

  delete(model: Model, args: DeleteArgs): CompiledWrite {
    const { where, select, ...more } = args;
    if (Object.keys(more).length > 0 || model.isView) return giveUp();
    const named = plainKey(where, model);
    return this.#fold(model, select, named && `delete ${named.key.name}`, named?.values ?? [], (statement) =>
      deleteSql(statement, model, where, select),
    );
  }

  /** What is told of the rows of a statement as somebody sees them. */
  shapesOf(model: Model, select: Clause | undefined, { shape }: WriteStatement, seen: Model): ToldShapes {
    const known = this.#knownOf(model, select);
    if (known?.told?.seen === seen) return known.told.shapes;
    const names = model.key?.fields.map(({ name }) => name) ?? [];
    const shapes = { json: seenOf(shape, seen), key: shape.filter(({ name }) => names.includes(name)) };
    if (known !== undefined) known.told = { seen, shapes };
    return shapes;
  }

  /**
   * @param kind what makes one statement of all writes that have it in common; `undefined` where values make another text
   * @param values what a statement of this kind is sent with
   */
  #fold(
    model: Model,
    select: Clause | undefined,
    kind: string | undefined,
    values: readonly unknown[],
    write: (statement: Statement) => WriteStatement,
  ): CompiledWrite {
    const statements = kind === undefined ? undefined : this.#knownOf(model, select)?.statements;
    const kept = kind === undefined ? undefined : statements?.get(kind);
    if (kept !== undefined) return { statement: kept, values };
    const open = this.#open();
    const statement = write(open);
    if (statements !== undefined && kind !== undefined) {
      const [oldest] = statements.keys();
      if (statements.size >= mostStatements && oldest !== undefined) statements.delete(oldest);
      statements.set(kind, statement);
    }
    return { statement, values: open.values };
  }

  /** A selection that somebody may change says nothing of the next write. */
  #knownOf(model: Model, select: Clause | undefined): KnownWrites | undefined {
    if (select === undefined) return undefined;
    const known = this.#known.get(select);
    if (known?.model === model) return known;
    if (!Object.isFrozen(select)) return undefined;
    const made: KnownWrites = { model, statements: new Map(), told: undefined };
    this.#known.set(select, made);
    return made;
  }
}

function seenOf(shape: Shape, seen: Model): Shape {
  const shown = shape.filter(({ name }) => {
    const field = seen.fieldsByName.get(name);
    return field === undefined || !isHidden(field);
  });
  return shown.length === 0 ? giveUp() : shown;
}

/** The key that a condition consists of, and its values as parameters; `undefined` where it asks for more, or for NULL. */
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
    const isPlain = field.name === name && named !== null && !isPlainObject(named) && columnOf(field).isComparable;
    return isPlain ? { key, values: [parameterOf(field, named)] } : undefined;
  }
  if (fieldsByName.has(name) || !isPlainObject(named) || Object.keys(named).length !== key.fields.length)
    return undefined;
  if (key.fields.some((part) => named[part.name] === null)) return undefined;
  return { key, values: key.fields.map((part) => parameterOf(part, named[part.name])) };
}
