import { isStored } from "../../packages/prisma/src/models/is-stored.js";
import type { Model, Models, RelationField, StoredField } from "../../packages/prisma/src/models/model.js";
import { quoteText } from "../../packages/prisma/src/models/quote-name.js";

const quote = (name: string): string => `\`${name.replaceAll("`", "``")}\``;
const list = (columns: readonly string[]): string => columns.map(quote).join(", ");

const types: Readonly<Record<string, string>> = {
  Boolean: "BOOLEAN",
  Int: "INTEGER",
  BigInt: "BIGINT",
  Float: "DOUBLE",
  Decimal: "DECIMAL(65, 30)",
  DateTime: "DATETIME(3)",
  Json: "JSON",
  Bytes: "LONGBLOB",
};

/**
 * The statements that create the tables of models in MySQL or MariaDB, as a migration of Prisma does: its schema engine is
 * available as WebAssembly for PostgreSQL and SQLite only.
 *
 * @param collation that of every text column
 */
export function mysqlTables(models: Models, collation: string): readonly string[] {
  const tables = [...models.values()].filter(({ isView }) => !isView);
  const options = `DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`;
  return [
    ...tables.map((model) => `CREATE TABLE ${quote(model.table)} (${definitions(model).join(", ")}) ${options}`),
    ...tables.flatMap((model) => manyToMany(model, models, options)),
    ...tables.flatMap((model) => foreignKeys(model, models)),
  ];
}

function definitions(model: Model): readonly string[] {
  const columns = model.fields.filter(isStored).map((field) => {
    const isNull = field.isRequired ? "NOT NULL" : "NULL";
    return `${quote(field.column)} ${typeOf(field)} ${isNull}${defaultOf(field)}`;
  });
  const keys = model.uniqueKeys.map(({ constraint, fields }) => {
    const names = list(fields.map(({ column }) => column));
    const isPrimary = constraint === `${model.table}_pkey`;
    return isPrimary ? `PRIMARY KEY (${names})` : `UNIQUE INDEX ${quote(constraint)} (${names})`;
  });
  return [...columns, ...keys];
}

function typeOf(field: StoredField): string {
  if (field.kind === "enum") return `ENUM(${field.databaseValues.map(quoteText).join(", ")})`;
  const { name, args = [] } = field.nativeType ?? {};
  if (name === undefined) return types[field.type] ?? "";
  const length = args.length === 0 ? "" : `(${args.join(", ")})`;
  const unsigned = "Unsigned";
  return name.startsWith(unsigned)
    ? `${name.slice(unsigned.length).toUpperCase()}${length} UNSIGNED`
    : `${name.toUpperCase()}${length}`;
}

function defaultOf(field: StoredField): string {
  const { default: from, type } = field;
  if (from === undefined || type === "Json") return "";
  if ("function" in from) {
    if (from.function === "autoincrement") return " AUTO_INCREMENT";
    return from.function === "now" ? " DEFAULT CURRENT_TIMESTAMP(3)" : "";
  }
  const at = field.kind === "enum" ? field.values.indexOf(String(from.value)) : -1;
  const value = field.kind === "enum" ? field.databaseValues[at] : from.value;
  return typeof value === "string" ? ` DEFAULT ${quoteText(value)}` : ` DEFAULT ${String(value)}`;
}

function foreignKeys(model: Model, models: Models): readonly string[] {
  if (!model.hasForeignKeys) return [];
  return model.fields.flatMap((field) => {
    if (field.kind !== "relation" || field.relation.fields.length === 0) return [];
    const related = models.get(field.type) as Model;
    const columns = columnsOf(model, field.relation.fields);
    const name = `${model.table}_${columns.join("_")}_fkey`;
    return [
      `ALTER TABLE ${quote(model.table)} ADD CONSTRAINT ${quote(name)} FOREIGN KEY (${list(columns)}) REFERENCES ${quote(related.table)} (${list(columnsOf(related, field.relation.references))}) ON DELETE ${actionOf(field)} ON UPDATE CASCADE`,
    ];
  });
}

const actions: Readonly<Record<string, string>> = { SetNull: "SET NULL", NoAction: "NO ACTION" };

function actionOf({ relation, isRequired }: RelationField): string {
  const action = relation.onDelete ?? (isRequired ? "Restrict" : "SetNull");
  return actions[action] ?? action.toUpperCase();
}

const columnsOf = (model: Model, names: readonly string[]): readonly string[] =>
  names.map((name) => (model.fieldsByName.get(name) as StoredField).column);

/** The table of a many-to-many relation, created with the side that is first in the alphabet. */
function manyToMany(model: Model, models: Models, options: string): readonly string[] {
  return model.fields.flatMap((field) => {
    if (field.kind !== "relation" || !field.isList) return [];
    const related = models.get(field.type) as Model;
    const opposite = related.fieldsByName.get(field.relation.opposite ?? "");
    if (opposite?.kind !== "relation" || !opposite.isList) return [];
    if (model.name > related.name || (model.name === related.name && field.name > opposite.name)) return [];
    const table = `_${field.relation.name}`;
    const sides = [model, related].map((side, at) => ({ side, id: side.uniqueKeys[0]?.fields[0], column: "AB"[at] }));
    const columns = sides.map(({ id, column }) => `${column} ${typeOf(id as StoredField)} NOT NULL`);
    const keys = sides.map(
      ({ side, id, column }) =>
        `CONSTRAINT ${quote(`${table}_${column}_fkey`)} FOREIGN KEY (${column}) REFERENCES ${quote(side.table)} (${quote(id?.column ?? "")}) ON DELETE CASCADE ON UPDATE CASCADE`,
    );
    const indexes = [`UNIQUE INDEX ${quote(`${table}_AB_unique`)} (A, B)`, `INDEX ${quote(`${table}_B_index`)} (B)`];
    return [`CREATE TABLE ${quote(table)} (${[...columns, ...indexes, ...keys].join(", ")}) ${options}`];
  });
}
