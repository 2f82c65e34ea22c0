import type { ModelConfig } from "@servicekit/model-router";
import { deletedField } from "@servicekit/model-router/internal";
import type { Database, Model } from "@servicekit/prisma";
import { capabilitiesOf, quoteName } from "@servicekit/prisma/internal";

/**
 * The unique values that deleted rows still occupy (contract C101), as warnings: a unique index over all rows rejects a new
 * row with the values of a deleted one. Partial indexes do not, which MySQL does not have.
 */
export async function blockedValues(
  database: Database,
  configs: Readonly<Record<string, ModelConfig>>,
): Promise<readonly string[]> {
  const fields = new Map(
    [...database.models.values()].flatMap((model) => {
      const field = deletedField(model, configs[model.name]);
      return field === undefined ? [] : [[model, field] as const];
    }),
  );
  const indexes = await database.uniqueIndexes([...fields.keys()]);
  return indexes.flatMap(({ model, name, columns }) => {
    const deleted = fields.get(model)?.column ?? "";
    // An index with the date distinguishes deleted rows already.
    if (columns.includes(deleted)) return [];
    const problem = `Deleted rows of ${model.name} occupy their ${namesOf(model, columns)} (unique index ${name}): new rows cannot have the same values.`;
    if (!capabilitiesOf(model.provider).partialIndexes || isOfOne(model, columns, database))
      return [`${problem} Restore such a row, or delete it permanently.`];
    const table = [model.schema, model.table].filter((part) => part !== undefined).map(quoteName);
    const index = `CREATE UNIQUE INDEX ${quoteName(name)} ON ${table.join(".")} (${columns.map(quoteName).join(", ")}) WHERE ${quoteName(deleted)} IS NULL`;
    return [`${problem} Replace it by a partial index in a migration: ${index};`];
  });
}

const namesOf = ({ fields }: Model, columns: readonly string[]): string =>
  columns.map((column) => fields.find((field) => field.column === column)?.name ?? column).join(", ");

/** Whether an index is that of a one-to-one relation, whose rows Prisma finds by the foreign key alone. */
function isOfOne(model: Model, columns: readonly string[], { models }: Database): boolean {
  return model.fields.some((field) => {
    if (field.kind !== "relation" || field.relation.fields.length === 0) return false;
    const own = field.relation.fields.map((name) => model.fieldsByName.get(name)?.column);
    const opposite = models.get(field.type)?.fieldsByName.get(field.relation.opposite ?? "");
    return (
      own.length === columns.length && own.every((one) => columns.includes(one ?? "")) && opposite?.isList === false
    );
  });
}
