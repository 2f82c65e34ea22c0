import type { Connection } from "./driver.js";

type Options = Exclude<Parameters<Connection["query"]>[0], string>;
type TypeCast = Exclude<Options["typeCast"], undefined>;

/**
 * Reads dates that do not exist, such as `0000-00-00`, and the empty value of an enum as `NULL`. MySQL stores them outside of
 * its strict mode, and Prisma fails for every result that contains one.
 *
 * @param connection a new one: the pool returns another object each time
 */
export function withoutInvalidValues(connection: Connection): Connection {
  const query = connection.query.bind(connection);
  const execute = connection.execute.bind(connection);
  return Object.assign(connection, {
    query: (sql: string | Options, values?: unknown) => query(withCast(sql), values),
    execute: (sql: string | Options, values?: unknown) => execute(withCast(sql), values),
  });
}

function withCast(given: string | Options): Options {
  const options = typeof given === "string" ? { sql: given } : given;
  const { typeCast: own = (_field, next) => next() } = options;
  const typeCast: TypeCast = (field, next) => {
    const value = own(field, next);
    if (value === "" && (field.flags & enumFlag) !== 0) return null;
    return momentType.test(field.type) && typeof value === "string" && zeroDate.test(value) ? null : value;
  };
  return { ...options, typeCast };
}

/** MySQL's flag of a column with an enum. No value of a Prisma schema has an empty name. */
const enumFlag = 256;
const momentType = /^(DATE|NEWDATE|DATETIME2?|TIMESTAMP2?)$/;
const zeroDate = /^\d{4}-(00-|\d{2}-00)/;
