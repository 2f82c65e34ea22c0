import type { Delegate } from "@servicekit/prisma";
import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";

/** A query of a delegate. */
export type WriteQuery =
  | Parameters<Delegate["execute"]>[0]
  | { operation: "updateMany"; args: { where: Where; data: Row } };

/**
 * Runs a query.
 *
 * @param run runs it with the delegate
 * @param again runs it with another delegate of the same model, such as that of a transaction
 */
export type AroundWrite = <T>(
  query: WriteQuery,
  run: () => Promise<T>,
  again: (delegate: Delegate) => Promise<T>,
) => Promise<T>;

/** The same delegate, whose queries and writes of rows a function runs. */
export const aroundWrites = (plain: Delegate, write: AroundWrite): Delegate =>
  Object.freeze<Delegate>({
    ...plain,
    execute: (query, seen) =>
      write(
        query,
        () => plain.execute(query, seen),
        (delegate) => delegate.execute(query, seen),
      ),
    create: (args) =>
      write(
        { operation: "create", args },
        () => plain.create(args),
        (delegate) => delegate.create(args),
      ),
    createMany: (args) =>
      write(
        { operation: "createMany", args },
        () => plain.createMany(args),
        (delegate) => delegate.createMany(args),
      ),
    update: (args) =>
      write(
        { operation: "update", args },
        () => plain.update(args),
        (delegate) => delegate.update(args),
      ),
    updateMany: (args) =>
      write(
        { operation: "updateMany", args },
        () => plain.updateMany(args),
        (delegate) => delegate.updateMany(args),
      ),
    updateEach: (args) =>
      write(
        { operation: "updateEach", args },
        () => plain.updateEach(args),
        (delegate) => delegate.updateEach(args),
      ),
  });
