/**
 * Quotes the JSON defaults in SQL for SQLite, which Prisma's engine writes without quotes (prisma/orm#26571): `DEFAULT {}`
 * is invalid, and `DEFAULT []` is an empty name. The copy of a table contains them too, in `coalesce`.
 */
export function quoteJsonDefaults(sql: string): string {
  let result = "";
  let from = 0;
  for (const { 0: before, index } of sql.matchAll(beforeJson)) {
    const start = index + before.length;
    if (start < from) continue;
    const end = jsonEnd(sql, start);
    result += `${sql.slice(from, start)}'${sql.slice(start, end).replaceAll("'", "''")}'`;
    from = end;
  }
  return result + sql.slice(from);
}

const beforeJson = /(?: JSONB(?: NOT NULL)? DEFAULT |coalesce\("(?:[^"]|"")*", )(?=[[{"])/g;

/** Where a JSON object, array or string ends. */
function jsonEnd(sql: string, start: number): number {
  const text = /"(?:[^"\\]|\\.)*"/sy;
  let depth = 0;
  for (let at = start; at < sql.length; ) {
    text.lastIndex = at;
    if (text.test(sql)) at = text.lastIndex;
    else {
      if (/[[{]/.test(sql[at] ?? "")) depth++;
      else if (/[\]}]/.test(sql[at] ?? "")) depth--;
      at++;
    }
    if (depth === 0) return at;
  }
  return sql.length;
}
