import type { MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { hasChecksum, readMysqlHistory } from "./mysql-history.js";
import { onMysql } from "./on-mysql.js";
import { requireMysql, scriptsOf } from "./read-migrations.js";

/** Compares a database of MySQL or MariaDB with a folder of migrations. */
export async function mysqlStatus(url: string, migrations: MigrationList) {
  requireMysql(migrations);
  const recorded = await onMysql(url, readMysqlHistory);
  const scripts = scriptsOf(migrations);
  const names = [...scripts.keys()];
  const checksums = new Map(recorded.map(({ name, checksum }) => [name, checksum]));
  const failed = recorded.flatMap(({ name, isFinished }) => (isFinished ? [] : [name]));
  return {
    applied: names.filter((name) => checksums.has(name) && !failed.includes(name)),
    pending: names.filter((name) => !checksums.has(name)),
    failed,
    edited: names.filter(
      (name) => !hasChecksum(scripts.get(name) ?? "", checksums.get(name) ?? "") && checksums.has(name),
    ),
    missing: [...checksums.keys()].filter((name) => !scripts.has(name)),
  };
}
