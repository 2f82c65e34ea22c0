import {
  type ChangeEntry,
  isRead,
  type MakeExecutor,
  type Query,
  type RecordedWrite,
  type Result,
  type SeenModels,
} from "../database/executor.js";
import type { SqlLink } from "../database/sql-link.js";
import type { Model, Models } from "../models/model.js";
import { clientLink } from "./client-link.js";
import { collationsOf, withCollations } from "./collations.js";
import { loadMakers } from "./made-value.js";
import { notFoldable } from "./not-foldable.js";
import { PreparedWrites } from "./prepared-writes.js";
import { sqlReads } from "./sql-reads.js";
import { sqlWrites } from "./sql-writes.js";
import { type RowForm, Statement } from "./statement.js";

export interface SqlSettings {
  /** The Prisma client whose connections the link shares; inside its transactions it runs the statements itself. */
  readonly client: object;
  readonly link: SqlLink;
  /** The models whose rows SQL reads and writes. */
  readonly models: Models;
  /** The database schema of models without one. */
  readonly schema: string;
  /** The maximum size of the rows of one response, in bytes; no limit by default. */
  readonly maxBytes?: number | undefined;
  /** Whether the client runs the statements outside of transactions too, so that its query log contains them. @default false */
  readonly byClient?: boolean;
}

/**
 * Runs each query as one SQL statement with the rows, responses and errors of Prisma Client. It does not support queries before
 * Prisma has opened its connections, queries of models that it was not given, and those that it cannot express.
 */
export function sqlExecutor(settings: SqlSettings): MakeExecutor {
  const { client: root, link, models, schema, maxBytes, byClient = false } = settings;
  // If that fails, Prisma makes these ids.
  loadMakers(models).catch(() => undefined);
  const opener = (form: RowForm) => (): Statement => new Statement(models, schema, form, collationsOf(link));
  const writes = { unnamed: new PreparedWrites(opener("unnamed")), named: new PreparedWrites(opener("named")) };
  return (client) => {
    const isInside = client !== root;
    const isByClient = isInside || byClient;
    const form = isByClient ? "named" : "unnamed";
    const own = isByClient ? clientLink(client, link.decimal) : link;
    const open = opener(form);
    // A transaction reads what it writes, which may be a row of any size.
    const read = sqlReads(own, open, isInside ? undefined : maxBytes);
    const write = sqlWrites({ link: own, writes: writes[form], open, schema, maxBytes });
    const collated = withCollations(link, isInside);
    const compile = (
      model: Model,
      query: Query | RecordedWrite,
      seen?: SeenModels,
      entry?: ChangeEntry,
    ): (() => Promise<Result>) | undefined => {
      if (!own.isOpen() || !models.has(model.name)) return undefined;
      // Prisma returns no plans as texts.
      if (query.operation === "estimate" && isByClient) return undefined;
      try {
        return isRead(query) ? read(model, query, seen) : write(model, query, seen, entry);
      } catch (error) {
        if (error !== notFoldable) throw error;
        return undefined;
      }
    };
    return {
      prepareRecorded: (model, query, entry, seen) => {
        const run = compile(model, query, seen, entry);
        if (run === undefined || !matchesRows(query)) return run;
        return () => collated(run, () => (compile(model, query, seen, entry) ?? run)());
      },
      prepare: (model, query, seen) => {
        const run = compile(model, query, seen);
        if (run === undefined || !isRead(query)) return run;
        // A statement that was compiled before the collations were known is compiled again.
        return () => collated(run, () => (compile(model, query, seen) ?? run)());
      },
    };
  };
}

/** Whether a write has a condition that may contain patterns. */
const matchesRows = ({ operation }: RecordedWrite): boolean => operation === "updateMany" || operation === "deleteMany";
