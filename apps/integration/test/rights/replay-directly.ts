import { resourcePath } from "@servicekit/model-router/internal";
import type { Model, RelationField } from "@servicekit/prisma";
import type { Change } from "./record-changes.js";
import type { Reply, Workshop } from "./workshop.js";
import type { CallerName } from "./workshop-rows.js";

type Row = Readonly<Record<string, unknown>>;

/**
 * Repeats the changes of a request by direct requests of the same caller: one for each row and link.
 *
 * @param changes of a request whose changes are undone
 * @returns why the caller could not; `undefined` if the database has the same state afterwards
 */
export async function replayDirectly(
  workshop: Workshop,
  caller: CallerName,
  changes: readonly Change[],
): Promise<string | undefined> {
  const wanted = describeChanges(changes, workshop);
  let rejection: string | undefined;
  for (const order of orders) {
    const outcome = await replay(workshop, caller, changes, order);
    const made = outcome ?? describeChanges(await workshop.changes(), workshop);
    await workshop.undo();
    if (typeof made !== "string" && made.join() === wanted.join()) return undefined;
    rejection ??=
      typeof made === "string" ? made : `directly it comes to ${made.join(" ")} and not to ${wanted.join(" ")}`;
  }
  return rejection;
}

/** Changes as text, in which new rows have no id and hashes are equal. */
export function describeChanges(changes: readonly Change[], { models }: Workshop): readonly string[] {
  const names = new Map<string, string>();
  const plain = (row: Row, model: Model | undefined): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (typeof value === "string" && value.startsWith("$2")) return [name, "<hash>"];
        const related = model === undefined ? undefined : referenceOf(model, name)?.type;
        return [name, related === undefined ? value : (names.get(`${related} ${String(value)}`) ?? value)];
      }),
    );
  const created = changes.filter(({ before, table }) => before === null && models.has(table));
  // Twice, because a name may contain the name of another.
  for (let round = 0; round < 2; round++) {
    for (const { table, after } of created) {
      const { id, ...rest } = after ?? {};
      if (id === undefined) continue;
      names.set(`${table} ${String(id)}`, `new ${table} ${JSON.stringify(plain(rest, models.get(table)))}`);
    }
  }
  const linkOf = (table: string, row: Row): Row => {
    const [a = "", b = ""] = table.slice(1).split("To");
    const shown = (model: string, id: unknown) => names.get(`${model} ${String(id)}`) ?? id;
    return { [a]: shown(a, row.A), [b]: shown(b, row.B) };
  };
  return changes
    .map(({ table, before, after }): string => {
      const model = models.get(table);
      if (model === undefined) {
        return `${before === null ? "links" : "unlinks"} ${JSON.stringify(linkOf(table, after ?? before ?? {}))}`;
      }
      if (before === null) {
        const { id: _, ...rest } = after ?? {};
        return `creates ${table} ${JSON.stringify(plain("teamId" in rest && "userId" in rest ? rest : rest, model))}`;
      }
      if (after === null) return `deletes ${table} ${keyText(model, before)}`;
      const changed = Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== before[name]));
      return `changes ${table} ${keyText(model, before)} to ${JSON.stringify(plain(changed, model))}`;
    })
    .sort();
}

const keyText = (model: Model, row: Row): string => (model.key?.fields ?? []).map(({ name }) => row[name]).join();

const referenceOf = (model: Model, name: string): RelationField | undefined =>
  model.fields.find(
    (field): field is RelationField => field.kind === "relation" && field.relation.fields.includes(name),
  );

type Step = "clear" | "delete" | "create" | "change" | "link";

/**
 * A place must be freed before it is used, and a referenced row must be left first, or its deletion clears the references
 * to it: one of these orders works.
 */
const orders: readonly (readonly Step[])[] = [
  ["clear", "delete", "create", "change", "link"],
  ["link", "clear", "create", "change", "delete"],
  ["create", "clear", "change", "link", "delete"],
  ["delete", "create", "change", "link"],
];

async function replay(
  workshop: Workshop,
  caller: CallerName,
  changes: readonly Change[],
  order: readonly Step[],
): Promise<string | undefined> {
  const { models } = workshop;
  const ids = new Map<string, unknown>();
  const now = (model: string, id: unknown): unknown => ids.get(`${model} ${String(id)}`) ?? id;
  const valuesOf = (model: Model, row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        const related = referenceOf(model, name)?.type;
        if (related !== undefined) return [name, now(related, value)];
        return [name, typeof value === "string" && value.startsWith("$2") ? "a long password 1" : value];
      }),
    );
  const call = async (method: string, target: string, body?: unknown): Promise<Reply> =>
    workshop.as(caller, method, target, body);
  const reported = (response: Reply, what: string): string | undefined =>
    response.status < 300 ? undefined : `${what} is ${response.status} ${response.body?.code}`;

  const linked = new Set<Change>();
  const goes = new Set(
    changes.flatMap(({ table, before, after }) =>
      after === null && before !== null ? [`${table} ${String(before.id)}`] : [],
    ),
  );
  const isNew = new Set(
    changes.flatMap(({ table, before, after }) => (before === null ? [`${table} ${String(after?.id)}`] : [])),
  );
  const creations = sortCreations(
    changes.filter(({ before, table }) => before === null && models.has(table)),
    workshop,
  );
  const later: { model: Model; id: unknown; name: string; value: unknown }[] = [];
  for (const step of order) {
    if (step === "create") {
      for (const { table, after } of creations) {
        const model = models.get(table) as Model;
        const waits = Object.entries(after ?? {}).filter(([name, value]) => {
          const row = `${referenceOf(model, name)?.type} ${String(value)}`;
          return isNew.has(row) && !ids.has(row);
        });
        const body = Object.fromEntries([
          ...Object.entries(valuesOf(model, after ?? {})).filter(
            ([name, value]) => isGiven(model, name, value) && !waits.some(([other]) => other === name),
          ),
          ...newLinks(model, after ?? {}),
        ]);
        const target = `/${resourcePath(model)}`;
        const response = await call("POST", target, body);
        const rejection = reported(response, `POST ${target} ${JSON.stringify(body)}`);
        if (rejection !== undefined) return rejection;
        ids.set(`${table} ${String(after?.id)}`, Number(response.headers.location?.split("/").at(-1)));
        later.push(...waits.map(([name, value]) => ({ model, id: after?.id, name, value })));
      }
      // Rows that reference each other in a cycle.
      for (const { model, id, name, value } of later.splice(0)) {
        const target = `/${resourcePath(model)}/${now(model.name, id)}`;
        const change = { [name]: now(referenceOf(model, name)?.type ?? "", value) };
        const rejection = reported(await call("PATCH", target, change), `PATCH ${target} ${JSON.stringify(change)}`);
        if (rejection !== undefined) return rejection;
      }
      continue;
    }
    for (const change of changes) {
      const { table, before, after } = change;
      const model = models.get(table);
      if (model === undefined) {
        // What a creation has linked, and what is deleted with its row.
        if (step !== "link" || linked.has(change) || endsOf(change).some((end) => goes.has(end))) continue;
        const rejection = await link(table, after ?? before ?? {}, before === null);
        if (rejection !== undefined) return rejection;
        continue;
      }
      if (before === null) continue;
      const target = `/${resourcePath(model)}/${keyText(model, before)}`;
      if (after === null) {
        if (step !== "delete") continue;
        const rejection = reported(await call("DELETE", target), `DELETE ${target}`);
        if (rejection !== undefined) return rejection;
        continue;
      }
      if (step !== "clear" && step !== "change") continue;
      const changed = Object.fromEntries(
        Object.entries(valuesOf(model, after)).filter(([name]) => after[name] !== before[name]),
      );
      const isCleared = Object.values(changed).every((value) => value === null);
      if (isCleared !== (step === "clear")) continue;
      const rejection = reported(await call("PATCH", target, changed), `PATCH ${target} ${JSON.stringify(changed)}`);
      if (rejection !== undefined) return rejection;
    }
  }
  return undefined;

  /** The links of a row in its own body. */
  function newLinks(model: Model, row: Row): readonly (readonly [string, unknown])[] {
    return changes.flatMap((change) => {
      const ends = endsOf(change);
      if (models.has(change.table) || change.before !== null || linked.has(change)) return [];
      const other = ends.find((end) => end !== `${model.name} ${String(row.id)}`);
      if (other === undefined || ends.every((end) => end === other) || !ends.includes(`${model.name} ${row.id}`))
        return [];
      const [name = "", id] = other.split(" ");
      if (isNew.has(other) && !ids.has(other)) return [];
      const field = model.fields.find(({ kind, type }) => kind === "relation" && type === name);
      linked.add(change);
      return [[field?.name ?? "", [{ id: now(name, Number(id)) }]] as const];
    });
  }

  /** A link belongs to the side that is written: either works. */
  async function link(table: string, row: Row, isNew: boolean): Promise<string | undefined> {
    const [a = "", b = ""] = table.slice(1).split("To");
    const flag = isNew ? {} : { $disconnect: true };
    let rejection: string | undefined;
    for (const [one, oneId, other, otherId] of [
      [a, row.A, b, row.B],
      [b, row.B, a, row.A],
    ] as const) {
      const model = models.get(one) as Model;
      const field = model.fields.find(({ kind, type }) => kind === "relation" && type === other);
      const target = `/${resourcePath(model)}/${now(one, oneId)}`;
      const body = { [field?.name ?? ""]: [{ ...flag, id: now(other, otherId) }] };
      rejection = reported(await call("PATCH", target, body), `PATCH ${target} ${JSON.stringify(body)}`);
      if (rejection === undefined) return undefined;
    }
    return rejection;
  }
}

/** The two rows of a link. */
function endsOf({ table, before, after }: Change): readonly string[] {
  const [a = "", b = ""] = table.slice(1).split("To");
  const row = after ?? before ?? {};
  return [`${a} ${String(row.A)}`, `${b} ${String(row.B)}`];
}

/** The fields of a new row's body, without generated values and null. */
function isGiven(model: Model, name: string, value: unknown): boolean {
  const field = model.fieldsByName.get(name);
  if (field?.kind !== "scalar" && field?.kind !== "enum") return false;
  if (value === null || name === "tenantId") return false;
  if (field.isId && field.hasDefault) return false;
  return !(field.hasDefault && JSON.stringify(defaults[`${model.name}.${name}`]) === JSON.stringify(value));
}

/** The defaults of the schema, which the frozen models do not contain completely. */
const defaults: Readonly<Record<string, unknown>> = {
  "User.role": "viewer",
  "User.isSuperUser": false,
  "Profile.secret": "sealed",
  "Team.budget": 100,
  "Membership.level": 1,
  "Task.state": "open",
  "Task.points": 1,
  "Tag.colour": "grey",
  "Invoice.isPaid": false,
  "Notice.source": "desk",
  "Entry.mark": "none",
  "Document.draft": "a draft",
  "Document.isPublished": false,
};

/** Referenced rows come first. */
function sortCreations(creations: readonly Change[], { models }: Workshop): readonly Change[] {
  const isNew = new Set(creations.map(({ table, after }) => `${table} ${String(after?.id)}`));
  const sorted: Change[] = [];
  const waiting = [...creations];
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ table, after }) => {
      const model = models.get(table) as Model;
      return Object.entries(after ?? {}).every(([name, value]) => {
        const type = referenceOf(model, name)?.type;
        const key = `${type} ${String(value)}`;
        return (
          type === undefined || !isNew.has(key) || sorted.some((one) => `${one.table} ${String(one.after?.id)}` === key)
        );
      });
    });
    sorted.push(...waiting.splice(Math.max(ready, 0), 1));
  }
  return sorted;
}
