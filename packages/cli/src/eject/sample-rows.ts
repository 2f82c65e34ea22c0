import { type Model, type Models, type StoredField } from "@servicekit/prisma";
import { isOptionalInCreate, isStored } from "@servicekit/prisma/internal";

/** Code that creates a row, preceded by the rows that it must reference; `n` is a different number for each. */
export interface SampleRow {
  readonly statements: readonly string[];
  /** Members of the row's own values: `text: "text 1"`. */
  readonly members: readonly string[];
}

/**
 * Writes code that creates a row of a model.
 *
 * @param isBody whether dates are strings
 * @returns `undefined` if models require rows of each other
 */
export function sampleRow(
  model: Model,
  models: Models,
  isBody: boolean,
  above: readonly string[] = [],
): SampleRow | undefined {
  const statements: string[] = [];
  const members: string[] = [];
  const keys = new Set<string>();
  for (const field of model.fields) {
    if (field.kind !== "relation" || field.relation.fields.length === 0) continue;
    const [own, ...more] = field.relation.fields;
    const referring = own === undefined ? undefined : model.fieldsByName.get(own);
    for (const name of field.relation.fields) keys.add(name);
    if (!field.isRequired || referring?.kind !== "scalar") continue;
    const related = models.get(field.type);
    const row =
      related && !above.includes(field.type) ? sampleRow(related, models, false, [...above, model.name]) : undefined;
    if (related === undefined || row === undefined || more.length > 0) return undefined;
    statements.push(...row.statements);
    statements.push(
      `const ${field.name} = await client.${related.delegate}.create({ data: { ${row.members.join(", ")} } });`,
    );
    members.push(`${own}: ${field.name}.${field.relation.references[0]}`);
  }
  for (const field of model.fields) {
    if (!isStored(field) || keys.has(field.name) || isOptionalInCreate(field)) continue;
    members.push(`${field.name}: ${valueText(field, isBody)}`);
  }
  return { statements, members };
}

function valueText(field: StoredField, isBody: boolean): string {
  if (field.isList) return "[]";
  if (field.kind === "enum") return JSON.stringify(field.values[0]);
  switch (field.type) {
    case "String":
      if (field.nativeType?.name === "Uuid") return `\`00000000-0000-4000-8000-\${String(n).padStart(12, "0")}\``;
      return /mail/i.test(field.name) ? `\`${field.name}\${n}@example.com\`` : `\`${field.name} \${n}\``;
    case "Boolean":
      return "n % 2 === 0";
    case "BigInt":
      return isBody ? "String(n)" : "BigInt(n)";
    case "DateTime":
      return isBody ? "new Date(n * 1000).toISOString()" : "new Date(n * 1000)";
    case "Json":
      return "{ n }";
    case "Bytes":
      return isBody ? '"bg=="' : 'Buffer.from("n")';
    default:
      return "n";
  }
}
