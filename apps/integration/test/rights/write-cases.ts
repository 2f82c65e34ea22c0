import { resourcePath } from "@servicekit/model-router/internal";
import type { Model, Models, RelationField } from "@servicekit/prisma";
import { Form } from "./workshop.js";
import { type CallerName, callers } from "./workshop-rows.js";

type Row = Readonly<Record<string, unknown>>;

/** One write of a client. */
export interface WriteCase {
  readonly caller: CallerName;
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly target: string;
  readonly body?: unknown;
  /** The model of the path. */
  readonly model: string;
  /** The action and its path; cases of one kind are similar. */
  readonly kind: string;
  /** The same request for a row that does not exist. */
  readonly absent?: { readonly target: string; readonly body?: unknown };
  /** The path of the row that the body identifies. */
  readonly row?: string;
}

/** The model of each existing row, with its id as in a path. */
const rowsOf: Readonly<Record<string, readonly (number | string)[]>> = {
  User: [3, 5, 6],
  Profile: [1, 2],
  Team: [1, 2, 3],
  Membership: ["1,5", "1,6"],
  Project: [1, 2, 3],
  Task: [1, 3, 4],
  Tag: [1, 2, 3],
  Detail: [1, 2, 3],
  Invoice: [1, 2],
  Stamp: [1, 3],
  Sprint: [1, 2, 3],
  Notice: [1, 3],
  Entry: [1, 2, 3],
  Document: [1, 2, 3, 4],
  Asset: [1, 3],
};

/** A new row by its plain fields; its required foreign keys are separate. */
const newRows: Readonly<Record<string, { readonly own: Row; readonly keys?: Row }>> = {
  User: { own: { username: "newcomer", password: "a long password 1", email: "new@x.example" } },
  Profile: { own: { bio: "new" }, keys: { userId: 4 } },
  Team: { own: { name: "New" } },
  Membership: { own: { level: 2 }, keys: { teamId: 3, userId: 4 } },
  Project: { own: { name: "New" } },
  Task: { own: { title: "new" }, keys: { projectId: 1 } },
  Tag: { own: { name: "new" } },
  Detail: { own: { text: "new" } },
  Invoice: { own: { number: "N1", amount: 5 }, keys: { projectId: 1 } },
  Stamp: { own: { code: "new" } },
  Sprint: { own: { goal: "new" } },
  Notice: { own: { title: "new" } },
  Entry: { own: { text: "new" } },
  Document: { own: { title: "new", isPublished: true } },
  Asset: { own: { label: "new" } },
};

/** Changes of a row, one for each kind of value in a field. */
const changes: Readonly<Record<string, readonly Row[]>> = {
  User: [{ email: "changed@x.example" }, { role: "admin" }, { isSuperUser: true }, { password: "another password 1" }],
  Profile: [{ bio: "changed" }, { secret: "open" }, { userId: 4 }],
  Team: [{ name: "Changed" }, { budget: 1 }, { parentId: 3 }],
  Membership: [{ level: 9 }],
  Project: [{ name: "Changed" }, { ownerId: 4 }, { teamId: 3 }],
  Task: [{ title: "changed" }, { points: 9 }, { note: "loud" }, { assigneeId: 4 }, { sprintId: 3 }, { projectId: 2 }],
  Tag: [{ colour: "black" }],
  Detail: [{ text: "changed" }, { projectId: 3 }],
  Invoice: [{ isPaid: true }, { projectId: 2 }],
  Stamp: [{ code: "changed" }],
  Sprint: [{ goal: "changed" }, { projectId: 2 }],
  Notice: [{ title: "changed" }, { source: "street" }, { title: "no" }, { tagId: 3 }],
  Entry: [{ text: "changed" }, { mark: "mine" }, { projectId: 2 }],
  Document: [{ title: "changed" }, { draft: "changed" }, { isPublished: false }],
  Asset: [{ label: "changed" }, { projectId: 2 }],
};

const uniques: Readonly<Record<string, readonly Row[]>> = {
  User: [{ username: "ben" }],
  Team: [{ name: "Gamma" }],
  Project: [{ name: "Theirs" }],
  Tag: [{ name: "green" }],
  Invoice: [{ number: "B1" }],
  Detail: [{ projectId: 2 }],
  Profile: [{ userId: 6 }],
};

/** The value of a relation. */
interface Act {
  readonly name: string;
  readonly value: Row | null;
  /** The same for a row that does not exist. */
  readonly absent?: Row;
  /** The id of the identified row. */
  readonly id?: number | string;
  readonly inCreate: boolean;
}

/** Every write: caller × model × relation × action × form, and the plain ones of each model. */
export function* writeCases(models: Models): Generator<WriteCase> {
  const known = [...models.values()].filter(({ name }) => name in rowsOf);
  for (const caller of callers) {
    for (const model of known) {
      yield* plainCases(caller, model);
      for (const field of relationsOf(model)) yield* relationCases(caller, model, field, models);
    }
  }
}

const relationsOf = (model: Model): readonly RelationField[] =>
  model.fields.filter((field): field is RelationField => field.kind === "relation" && field.type in rowsOf);

const keyOf = (model: string, id: number | string): Row => {
  if (model !== "Membership") return { id };
  const [teamId, userId] = String(id).split(",").map(Number);
  return { teamId, userId };
};
const absentId = (model: string): number | string => (model === "Membership" ? "999,999" : 999);
const fullRow = (model: string): Row => ({ ...newRows[model]?.own, ...newRows[model]?.keys });
/** A row that has to be created next to another new one. */
const otherRow = (model: string): Row =>
  Object.fromEntries(
    Object.entries(newRows[model]?.own ?? {}).map(([name, value]) => [
      name,
      name === "email" ? "other@x.example" : typeof value === "string" ? `${value} other` : value,
    ]),
  );

function* plainCases(caller: CallerName, model: Model): Generator<WriteCase> {
  const path = `/${resourcePath(model)}`;
  const base = { caller, model: model.name };
  const kind = (act: string) => `${act} ${model.name}`;
  const row = fullRow(model.name);
  const more = [{}, ...(changes[model.name] ?? [])];
  for (const extra of more) {
    const body = { ...row, ...extra };
    yield { ...base, method: "POST", target: path, body, kind: kind("create") };
    yield { ...base, method: "POST", target: `${path}/many`, body: [body], kind: kind("create many") };
  }
  for (const id of rowsOf[model.name] ?? []) {
    const absent = absentId(model.name);
    for (const body of more) {
      yield {
        ...base,
        method: "PATCH",
        target: `${path}/${id}`,
        body,
        kind: kind("update"),
        absent: { target: `${path}/${absent}`, body },
      };
      yield {
        ...base,
        method: "PATCH",
        target: `${path}/many`,
        body: [{ id, ...body }],
        kind: kind("update many"),
        row: `${path}/${id}`,
        absent: { target: `${path}/many`, body: [{ id: absent, ...body }] },
      };
    }
    yield {
      ...base,
      method: "DELETE",
      target: `${path}/${id}`,
      kind: kind("delete"),
      absent: { target: `${path}/${absent}` },
    };
    yield {
      ...base,
      method: "DELETE",
      target: `${path}/many`,
      body: { ids: [String(id)] },
      kind: kind("delete many"),
      row: `${path}/${id}`,
      absent: { target: `${path}/many`, body: { ids: [String(absent)] } },
    };
  }
  const [change = {}] = changes[model.name] ?? [];
  for (const filter of filtersOf(model)) {
    yield { ...base, method: "PATCH", target: `${path}/many?${filter}`, body: change, kind: kind("update by filter") };
    yield { ...base, method: "DELETE", target: `${path}/many?${filter}`, kind: kind("delete by filter") };
  }
}

/** Filters of every field, and through every relation. */
function filtersOf(model: Model): readonly string[] {
  return model.fields.flatMap((field): readonly string[] => {
    if (field.kind === "relation") {
      const inner = field.type === "Membership" ? "level" : "id";
      return field.type in rowsOf ? [`${field.name}__${inner}__gte=1`] : [];
    }
    if (field.type === "Int") return [`${field.name}__gte=1`];
    if (field.type === "Boolean") return [`${field.name}=true`];
    return [`${field.name}__contains=a`, `${field.name}__icontains=OU`];
  });
}

function* relationCases(caller: CallerName, model: Model, field: RelationField, models: Models): Generator<WriteCase> {
  const path = `/${resourcePath(model)}`;
  const base = { caller, model: model.name };
  const wrap = (value: unknown): unknown => (field.isList && value !== null ? [value] : value);
  const settled = new Set([field.name, ...field.relation.fields]);
  const complete = Object.fromEntries(Object.entries(fullRow(model.name)).filter(([name]) => !settled.has(name)));
  const parents = (rowsOf[model.name] ?? []).slice(0, 2);
  const related = models.get(field.type) as Model;
  for (const { name, value, absent, id: named, inCreate } of actsOf(field)) {
    const row = `/${resourcePath(related)}/${named}`;
    const kind = (form: string) => `${form}: ${name} through ${model.name}.${field.name}`;
    const put = { [field.name]: wrap(value) };
    const without = absent === undefined ? undefined : { [field.name]: wrap(absent) };
    const twin = (target: string, make: (row: Row) => unknown) =>
      without === undefined ? {} : { row, absent: { target, body: make(without) } };
    if (inCreate) {
      const make = (row: Row) => ({ ...complete, ...row });
      const one = (row: Row) => [make(row)];
      yield { ...base, method: "POST", target: path, body: make(put), kind: kind("create"), ...twin(path, make) };
      const many = `${path}/many`;
      yield { ...base, method: "POST", target: many, body: one(put), kind: kind("create many"), ...twin(many, one) };
      if (model.name === "Project") {
        const form = (row: Row) => new Form(make(row));
        yield {
          ...base,
          method: "POST",
          target: path,
          body: form(put),
          kind: kind("create by form"),
          ...twin(path, form),
        };
      }
    }
    for (const id of parents) {
      const key = keyOf(model.name, id);
      const target = `${path}/${id}`;
      const same = (row: Row) => row;
      yield { ...base, method: "PATCH", target, body: put, kind: kind("update"), ...twin(target, same) };
      const listed = (row: Row) => [{ id, ...row }];
      const many = `${path}/many`;
      yield {
        ...base,
        method: "PATCH",
        target: many,
        body: listed(put),
        kind: kind("update many"),
        ...twin(many, listed),
      };
      const filtered = `${many}?${new URLSearchParams(Object.entries(key).map(([k, v]) => [k, String(v)]))}`;
      yield {
        ...base,
        method: "PATCH",
        target: filtered,
        body: put,
        kind: kind("update by filter"),
        ...twin(filtered, same),
      };
      if (model.name === "Project") {
        const form = (row: Row) => new Form(row);
        yield {
          ...base,
          method: "PATCH",
          target,
          body: form(put),
          kind: kind("update by form"),
          ...twin(target, form),
        };
      }
      yield* deepCases(caller, model, field, { id, name, put, without, row, inCreate }, models);
    }
  }
}

interface DeepAct {
  readonly id: number | string;
  readonly name: string;
  readonly put: Row;
  readonly without: Row | undefined;
  readonly row: string;
  readonly inCreate: boolean;
}

/** The same action two relations deep: through each relation that leads to the model. */
function* deepCases(
  caller: CallerName,
  model: Model,
  field: RelationField,
  { id, name, put, without, row, inCreate }: DeepAct,
  models: Models,
): Generator<WriteCase> {
  for (const above of models.values()) {
    for (const way of relationsOf(above)) {
      if (way.type !== model.name || !(above.name in rowsOf) || way.relation.opposite === field.name) continue;
      const path = `/${resourcePath(above)}`;
      const base = { caller, model: above.name };
      const wrap = (value: Row): unknown => (way.isList ? [value] : value);
      const kind = (form: string) => `${form}: ${name} through ${above.name}.${way.name}.${field.name}`;
      for (const holder of (rowsOf[above.name] ?? []).slice(0, 2)) {
        const target = `${path}/${holder}`;
        const make = (row: Row) => ({ [way.name]: wrap({ ...keyOf(model.name, id), ...row }) });
        yield {
          ...base,
          method: "PATCH",
          target,
          body: make(put),
          kind: kind("two deep"),
          ...(without === undefined ? {} : { row, absent: { target, body: make(without) } }),
        };
      }
      if (!inCreate || id !== rowsOf[model.name]?.[0]) continue;
      const settled = new Set([field.name, ...field.relation.fields, way.relation.opposite ?? ""]);
      const opposite = model.fieldsByName.get(way.relation.opposite ?? "");
      if (opposite?.kind === "relation") for (const key of opposite.relation.fields) settled.add(key);
      const rest = { ...otherRow(model.name), ...newRows[model.name]?.keys };
      const inner = Object.fromEntries(Object.entries(rest).filter(([key]) => !settled.has(key)));
      const taken = new Set(way.relation.fields);
      const outer = Object.fromEntries(Object.entries(fullRow(above.name)).filter(([key]) => !taken.has(key)));
      const make = (row: Row) => ({ ...outer, [way.name]: wrap({ ...inner, ...row }) });
      yield {
        ...base,
        method: "POST",
        target: path,
        body: make(put),
        kind: kind("two deep under a create"),
        ...(without === undefined ? {} : { row, absent: { target: path, body: make(without) } }),
      };
    }
  }
}

/** Every action on each row of the related model. */
function actsOf(field: RelationField): readonly Act[] {
  const model = field.type;
  const settled = field.relation.opposite;
  const opposite = new Set([settled ?? "", ...(oppositeKeys[`${model}.${settled}`] ?? [])]);
  const row = Object.fromEntries(Object.entries(fullRow(model)).filter(([name]) => !opposite.has(name)));
  const gone = keyOf(model, absentId(model));
  const made = [{}, ...(changes[model] ?? [])].map((extra): Act => {
    return { name: `create ${Object.keys(extra)}`, value: { ...row, ...extra }, inCreate: true };
  });
  const named = (rowsOf[model] ?? []).flatMap((id): Act[] => {
    const key = keyOf(model, id);
    return [
      ...(changes[model] ?? []).map((change): Act => {
        const value = { ...key, ...change };
        return { name: `update ${Object.keys(change)}`, value, absent: { ...gone, ...change }, id, inCreate: false };
      }),
      { name: "connect", value: key, absent: gone, id, inCreate: true },
      { name: "delete", value: { $delete: true, ...key }, absent: { $delete: true, ...gone }, id, inCreate: false },
      {
        name: "disconnect",
        value: { $disconnect: true, ...key },
        absent: { $disconnect: true, ...gone },
        id,
        inCreate: false,
      },
    ];
  });
  const byUnique = (uniques[model] ?? []).map((value): Act => {
    return { name: "connect by another key", value, inCreate: true };
  });
  const whatIsThere: Act[] = field.isList
    ? []
    : [
        { name: "null", value: null, inCreate: false },
        { name: "delete what is there", value: { $delete: true }, inCreate: false },
        { name: "disconnect what is there", value: { $disconnect: true }, inCreate: false },
      ];
  return [...made, ...named, ...byUnique, ...whatIsThere];
}

/** The foreign keys of the relations that lead back. */
const oppositeKeys: Readonly<Record<string, readonly string[]>> = {
  "Profile.user": ["userId"],
  "Membership.team": ["teamId"],
  "Membership.user": ["userId"],
  "Team.parent": ["parentId"],
  "Project.owner": ["ownerId"],
  "Project.team": ["teamId"],
  "Task.project": ["projectId"],
  "Task.assignee": ["assigneeId"],
  "Task.sprint": ["sprintId"],
  "Detail.project": ["projectId"],
  "Invoice.project": ["projectId"],
  "Stamp.project": ["projectId"],
  "Sprint.project": ["projectId"],
  "Notice.tag": ["tagId"],
  "Entry.project": ["projectId"],
  "Document.project": ["projectId"],
  "Asset.project": ["projectId"],
};
