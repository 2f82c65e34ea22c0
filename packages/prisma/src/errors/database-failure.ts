import { mysqlConstraint } from "./mysql-constraint.js";

/** The information of Prisma and its driver about a failure, in any class of error. */
export interface DatabaseFailure {
  /** Prisma's code, such as `P2002`. */
  readonly code: string | undefined;
  /** The model of the failed operation; for a nested write that of the nested row. */
  readonly model: string | undefined;
  /** The driver's name of the failure, such as `UniqueConstraintViolation`. */
  readonly kind: string | undefined;
  /** PostgreSQL's code of five characters, or the number of another database. */
  readonly sqlState: string | undefined;
  /** The code of MySQL, MariaDB or their driver. */
  readonly mysqlCode: number | undefined;
  /** The database's own message. */
  readonly databaseMessage: string | undefined;
  /** The constraint's name, or the columns, if the driver has them. */
  readonly constraint: { readonly index?: string; readonly fields?: readonly string[] } | undefined;
  readonly message: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

type Bag = Readonly<Record<string, unknown>>;

/** Reads an error of Prisma or of its driver; `undefined` for any other. Does not import Prisma. */
export function readFailure(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const fields = error as Error & { code?: unknown; errorCode?: unknown; meta?: unknown };
  const isPrisma = /^PrismaClient\w*Error$/.test(error.name) || error.name === "DriverAdapterError";
  if (!isPrisma) return undefined;
  const meta = bag(fields.meta);
  const driverError = error.name === "DriverAdapterError" ? bag(error) : bag(meta.driverAdapterError);
  const cause = bag(driverError.cause);
  const databaseMessage = text(cause.originalMessage) ?? text(cause.message);
  const mysqlCode = mysqlCodeOf(cause, databaseMessage);
  const named = mysqlCode === undefined ? undefined : mysqlConstraint(databaseMessage ?? "");
  return {
    code: text(fields.code) ?? text(fields.errorCode),
    model: text(meta.modelName),
    kind: text(cause.kind),
    sqlState: text(cause.originalCode) ?? (cause.kind === "postgres" ? text(cause.code) : undefined),
    mysqlCode,
    databaseMessage,
    constraint:
      named ?? (typeof cause.constraint === "object" && cause.constraint !== null ? cause.constraint : undefined),
    message: error.message,
    meta,
  };
}

/** Whether a statement was prepared before the tables changed. PostgreSQL rejects it before it has any effect. */
export function isStaleStatement({ sqlState, databaseMessage }: DatabaseFailure): boolean {
  return sqlState === "0A000" && /cached plan/.test(databaseMessage ?? "");
}

/** The codes of SQLite are numbers too, and its messages begin with their names. */
function mysqlCodeOf({ kind, code, originalCode }: Bag, message: string | undefined): number | undefined {
  if (kind === "mysql" && typeof code === "number") return code;
  const isMysql = typeof originalCode === "string" && /^\d{4}$/.test(originalCode) && !message?.startsWith("SQLITE_");
  return isMysql ? Number(originalCode) : undefined;
}

function bag(value: unknown): Bag {
  return typeof value === "object" && value !== null ? (value as Bag) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
