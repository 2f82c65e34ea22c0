/** Every mode that makes the server reject a value instead of changing it, and a query with an arbitrary group. */
const sqlMode = [
  "STRICT_ALL_TABLES",
  "NO_ZERO_IN_DATE",
  "NO_ZERO_DATE",
  "ERROR_FOR_DIVISION_BY_ZERO",
  "NO_ENGINE_SUBSTITUTION",
  "ONLY_FULL_GROUP_BY",
];

/**
 * The statements that set a new connection up: the characters of the driver, UTC, strict values, the isolation level of
 * PostgreSQL, and time limits. MariaDB limits every statement, and MySQL only `SELECT`: each runs the comment that is meant
 * for it. A wait for a lock ends on both.
 *
 * @param statementMs maximum duration of a statement in milliseconds
 */
export function sessionStatements(statementMs: number): string[] {
  const seconds = statementMs / 1_000;
  const limits = `/*M!100100 , max_statement_time = ${seconds} */ /*!80000 , max_execution_time = ${statementMs} */`;
  const lockWait = Math.max(1, Math.ceil(seconds));
  return [
    `SET NAMES utf8mb4, sql_mode = '${sqlMode.join(",")}', time_zone = '+00:00', innodb_lock_wait_timeout = ${lockWait} ${limits}`,
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
  ];
}
