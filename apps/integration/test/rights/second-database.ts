import { resourcePath } from "@servicekit/model-router/internal";
import type { Model, StoredField } from "@servicekit/prisma";
import type { Reply, Workshop } from "./workshop.js";
import type { CallerName } from "./workshop-rows.js";

type Row = Readonly<Record<string, unknown>>;

/** The direct reads of a caller: the rows of each model by their key. */
export type Seen = ReadonlyMap<string, ReadonlyMap<string, Row>>;

/** Sends all direct reads. */
export async function readEverything(workshop: Workshop, caller: CallerName): Promise<Seen> {
  const seen = new Map<string, Map<string, Row>>();
  for (const model of workshop.models.values()) {
    const path = `/${resourcePath(model)}`;
    const rows = new Map<string, Row>();
    seen.set(model.name, rows);
    const list: Reply = await workshop.as(caller, "GET", `${path}?limit=100`);
    for (const row of list.status === 200 ? list.body.data : []) rows.set(keyText(model, row), row);
    for (const row of await storedRows(workshop, model)) {
      const key = keyText(model, row);
      const one = await workshop.as(caller, "GET", `${path}/${key}`);
      if (one.status === 200) rows.set(key, { ...rows.get(key), ...one.body.data });
    }
  }
  return seen;
}

/** Values in rules remain: otherwise other rows would be visible. */
const ruled: ReadonlySet<string> = new Set([
  ...["User.password", "User.role", "User.isSuperUser", "AuthRole.name", "AuthPermission.resource"],
  ...["AuthPermission.action", "Document.isPublished"],
]);

/** Models whose rows take exclusive ownership of their parent, or affect access. */
const single: ReadonlySet<string> = new Set([
  ...["User", "AuthRole", "AuthPermission", "Profile", "Detail", "Membership"],
]);

/**
 * Changes all values that a caller cannot see, and duplicates every row that the caller cannot see.
 *
 * @returns the number of changed values
 */
export async function changeUnseen(workshop: Workshop, seen: Seen): Promise<number> {
  let changed = 0;
  for (const model of workshop.models.values()) {
    const stored = model.fields.filter((field): field is StoredField => field.kind === "scalar" && !field.isForeignKey);
    const fields = stored.filter(
      (field) => !field.isId && field.name !== "tenantId" && !ruled.has(`${model.name}.${field.name}`),
    );
    for (const row of await storedRows(workshop, model)) {
      const shown = seen.get(model.name)?.get(keyText(model, row));
      const unseen = fields.filter(({ name }) => shown === undefined || !(name in shown));
      const where = (model.key?.fields ?? []).map(({ name }) => `"${name}" = ${Number(row[name])}`).join(" AND ");
      if (shown === undefined && !single.has(model.name)) {
        const columns = model.fields.flatMap((field) =>
          field.kind === "relation" || field.name === "id" ? [] : [field],
        );
        const names = columns.map(({ name }) => `"${name}"`);
        const values = columns.map((field) =>
          "isUnique" in field && field.isUnique ? `"${field.name}" || ' again'` : `"${field.name}"`,
        );
        await workshop.pool.query(
          `INSERT INTO "${model.name}" (id, ${names}) SELECT id + 500, ${values} FROM "${model.name}" WHERE ${where}`,
        );
      }
      if (unseen.length === 0) continue;
      changed += unseen.length;
      const sets = unseen.map((field) => `"${field.name}" = ${otherValue(field)}`);
      await workshop.pool.query(`UPDATE "${model.name}" SET ${sets} WHERE ${where}`);
    }
  }
  return changed;
}

function otherValue({ name, type }: StoredField): string {
  if (type === "Boolean") return `NOT "${name}"`;
  return type === "Int" ? `"${name}" + 1000` : `coalesce("${name}", '') || ' of another database'`;
}

export const keyText = (model: Model, row: Row): string =>
  (model.key?.fields ?? []).map(({ name }) => row[name]).join();

export async function storedRows({ pool }: Workshop, { name }: Model): Promise<readonly Row[]> {
  return (await pool.query(`SELECT * FROM "${name}" ORDER BY 1, 2`)).rows;
}
