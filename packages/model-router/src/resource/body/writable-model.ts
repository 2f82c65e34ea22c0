import { type Model, type Models, type RelationField, type StoredField, type UniqueKey } from "@servicekit/prisma";
import { isBodyField, isHidden } from "@servicekit/prisma/internal";
import type { Operation } from "../operation.js";
import type { Resource, Resources } from "../resource.js";
import type { ResourceConfig } from "../resource-config.js";
import { unsettableFields } from "./unsettable-fields.js";

/** Where a relation is stored. */
export type RelationLink =
  /** In foreign keys of this model. */
  | { readonly kind: "own"; readonly fields: readonly StoredField[]; readonly references: readonly string[] }
  /** In foreign keys of the related model: `fields` are theirs, `references` the fields of this one. */
  | {
      readonly kind: "theirs";
      readonly opposite: string;
      readonly fields: readonly StoredField[];
      readonly references: readonly string[];
    }
  /** In a table between the two that no model stands for. */
  | { readonly kind: "between"; readonly opposite: string };

/** What an object in place of a relation asks for (contract C13). */
export type RelationAct = "connect" | "create" | "update" | "delete" | "disconnect";

/** A relation that bodies may name. */
export interface WritableRelation {
  readonly name: string;
  readonly field: RelationField;
  readonly related: Resource;
  readonly link: RelationLink;
  /** `connect`: rows that exist; `write`: rows may be created, updated and deleted through it too (contract C13). */
  readonly opens: "connect" | "write";
  /** Why single acts are closed to everyone though the relation is open: their operation is closed, or has hooks (C57). */
  readonly refused: ReadonlyMap<RelationAct, string>;
  /** The unique keys that name a related row; no hidden field is part of one. */
  readonly keys: readonly UniqueKey[];
}

/** What bodies may set of one model: made once at start. */
export interface WritableModel {
  readonly resource: Resource;
  readonly fields: ReadonlyMap<string, StoredField>;
  readonly relations: ReadonlyMap<string, WritableRelation>;
  /** Why each relation that is not open is not. */
  readonly closed: ReadonlyMap<string, string>;
  /** What a new row needs and no body can set: then only a hook before the create can (contract C64). */
  readonly unsettable: readonly StoredField[];
  /** The field that takes a clear password and is hashed on its way, where there is one. */
  readonly password: string | undefined;
  /** Prisma's `select` for everything that relations of a row hang on. */
  readonly linkSelect: Readonly<Record<string, true>>;
  /** `undefined` unless a row stands for a user. */
  readonly user: UserFacts | undefined;
}

/** The writable models by name. */
export type WritableModels = ReadonlyMap<string, WritableModel>;

/** What holds for the rows that stand for users; whoever signs them in says it. */
export interface UserFacts {
  /** The name of their model: relations to and from it stay closed until they are opened (contract C13). */
  readonly model: string;
  /** The field that takes a clear password and keeps its hash. */
  readonly password: string;
  /** The fields that prove who a user is, or lead to a new password. Of an existing user they are changed by superusers only. */
  readonly credentials: readonly string[];
  /** The fields that suspend a user, and make them active again. */
  readonly suspending: readonly string[];
  /** The fields that grant rights. Superusers set them; never through the relation of another model, opened or not. */
  readonly administered: readonly string[];
}

/** What decides over the fields and relations of bodies. */
export interface WritableSettings {
  readonly models: Readonly<Record<string, ResourceConfig>>;
  /** `undefined` where no model stands for users. */
  readonly users: UserFacts | undefined;
  /** Whether somebody hashes the password of a user on its way (contract C11). */
  readonly hashesPassword: boolean;
  /** Whether there is such an operation, for whoever has the right. */
  readonly isOffered: (model: Model, operation: Operation) => boolean;
  /** Whether handlers of the application run around an operation: bodies of other models would pass them by. */
  readonly hasHooks: (model: Model, operation: Operation) => boolean;
}

/** Decides for every model what bodies may set. */
export function makeWritableModels(resources: Resources, models: Models, settings: WritableSettings): WritableModels {
  const fields = new Map(
    [...resources.values()].map((resource) => [resource.model.name, writableFields(resource, settings)]),
  );
  const referred = referredNames(models);
  return new Map(
    [...resources.values()].map((resource) => {
      const { model } = resource;
      const relations = new Map<string, WritableRelation>();
      const closed = new Map<string, string>();
      for (const field of model.fields) {
        if (field.kind !== "relation") continue;
        const found = writableRelation(field, resource, { resources, models, fields, settings });
        if (typeof found === "string") closed.set(field.name, found);
        else if (found !== undefined) relations.set(field.name, found);
      }
      const own = fields.get(model.name) ?? new Map<string, StoredField>();
      const user = userOf(model, settings);
      return [
        model.name,
        Object.freeze<WritableModel>({
          resource,
          fields: own,
          relations,
          closed,
          unsettable: unsettableFields(model, { fields: own, opened: openedNames(model, settings) }),
          password: user !== undefined && settings.hashesPassword && own.has(user.password) ? user.password : undefined,
          linkSelect: linkSelect(resource, referred.get(model.name)),
          user,
        }),
      ];
    }),
  );
}

function writableFields(resource: Resource, settings: WritableSettings): ReadonlyMap<string, StoredField> {
  const { model } = resource;
  const config = settings.models[model.name] ?? {};
  return new Map(
    model.fields.flatMap((field) => {
      if (field.kind === "relation" || field.kind === "unsupported") return [];
      const isPassword = field.name === userOf(model, settings)?.password;
      const isOpen = isPassword
        ? settings.hashesPassword && isText(field)
        : config.writable?.includes(field.name) ||
          (!config.readonly?.includes(field.name) && isWritable(field, resource));
      return isOpen ? [[field.name, field] as const] : [];
    }),
  );
}

const openedNames = ({ name }: Model, { models }: WritableSettings): readonly string[] => models[name]?.writable ?? [];

const userOf = (model: Model, { users }: WritableSettings): UserFacts | undefined =>
  users?.model === model.name ? users : undefined;

const isText = (field: StoredField): boolean => field.type === "String" && !field.isList;

/** What a body may set: no hidden or read-only field, no id with a default, no time stamp that is set for it (C11). */
function isWritable(field: StoredField, resource: Resource): boolean {
  return isBodyField(field) && (isHidden(field) || resource.fields.has(field.name));
}

interface Surroundings {
  readonly resources: Resources;
  readonly models: Models;
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, StoredField>>;
  readonly settings: WritableSettings;
}

/** The relation, why it is closed, or `undefined` for one that a client must not know of. */
function writableRelation(
  field: RelationField,
  resource: Resource,
  { resources, models, fields, settings }: Surroundings,
): WritableRelation | string | undefined {
  const { model } = resource;
  const config = settings.models[model.name] ?? {};
  const related = resources.get(field.type);
  const link = linkOf(field, resource, models);
  if (related === undefined || link === undefined) return undefined;
  const isOpened = config.writable?.includes(field.name) === true;
  if (!isOpened && !resource.relations.has(field.name)) return undefined;
  if (!isOpened && (field.marks.readonly || config.readonly?.includes(field.name) === true)) return "it is read-only";
  const isWritten = isOpened || field.marks.writable;
  if (!isWritten) {
    const { users } = settings;
    if (users !== undefined && [model.name, field.type].includes(users.model)) return `it belongs to ${users.model}`;
    const holder = link.kind === "own" ? fields.get(model.name) : fields.get(field.type);
    if (link.kind !== "between" && !link.fields.every(({ name }) => holder?.has(name))) return "its key is read-only";
  }
  if (related.model.key === undefined || (link.kind !== "own" && related.model.isView)) return "its rows have no key";
  const keys = related.model.uniqueKeys.filter((key) => key.fields.every(({ name }) => related.fields.has(name)));
  const settable = { fields: fields.get(field.type) ?? new Map(), opened: openedNames(related.model, settings) };
  const lacking = unsettableFields(related.model, settable, link.kind === "theirs");
  const refused = refusedActs({ related: related.model, link, isNamed: isOpened, lacking }, settings);
  const acts = isWritten ? allActs : linkingActs;
  if (acts.every((act) => refused.has(act))) return refused.get("connect") ?? "its rows are closed";
  return Object.freeze<WritableRelation>({
    name: field.name,
    field,
    related,
    link,
    opens: isWritten ? "write" : "connect",
    refused,
    keys,
  });
}

const linkingActs: readonly RelationAct[] = ["connect", "disconnect"];
const allActs: readonly RelationAct[] = [...linkingActs, "create", "update", "delete"];

/** The operation of the related model that an act comes to; none where only this side is written. */
export function operationOf(
  act: RelationAct,
  { kind }: RelationLink,
): "createOne" | "updateOne" | "deleteOne" | undefined {
  if (act === "create") return "createOne";
  if (act === "update") return "updateOne";
  if (act === "delete") return "deleteOne";
  return kind === "theirs" ? "updateOne" : undefined;
}

interface ActContext {
  readonly related: Model;
  readonly link: RelationLink;
  /** Whether the configuration opens the relation by its name: then hooks are left out knowingly. */
  readonly isNamed: boolean;
  /** What a new related row needs and no body can set. */
  readonly lacking: readonly StoredField[];
}

function refusedActs(
  { related, link, isNamed, lacking }: ActContext,
  { isOffered, hasHooks }: WritableSettings,
): ReadonlyMap<RelationAct, string> {
  return new Map(
    allActs.flatMap((act): (readonly [RelationAct, string])[] => {
      const operation = operationOf(act, link);
      if (operation === undefined) return [];
      if (!isOffered(related, operation)) return [[act, `${related.name} has no ${operation}`]];
      if (act === "create" && lacking.length > 0) return [[act, `no body can set all that ${related.name} needs`]];
      return !isNamed && hasHooks(related, operation) ? [[act, `${operation} of ${related.name} has hooks`]] : [];
    }),
  );
}

function linkOf(field: RelationField, { model }: Resource, models: Models): RelationLink | undefined {
  if (field.relation.fields.length > 0) {
    const fields = storedFields(model.fieldsByName, field.relation.fields);
    return { kind: "own", fields, references: field.relation.references };
  }
  const related = models.get(field.type);
  const opposite = related?.fieldsByName.get(field.relation.opposite ?? "");
  if (related === undefined || opposite?.kind !== "relation") return undefined;
  if (opposite.relation.fields.length === 0) return { kind: "between", opposite: opposite.name };
  const fields = storedFields(related.fieldsByName, opposite.relation.fields);
  return { kind: "theirs", opposite: opposite.name, fields, references: opposite.relation.references };
}

const storedFields = (fields: ReadonlyMap<string, unknown>, names: readonly string[]): readonly StoredField[] =>
  names.map((name) => fields.get(name) as StoredField);

/** By model: the fields that foreign keys of any model refer to. */
function referredNames(models: Models): ReadonlyMap<string, ReadonlySet<string>> {
  const referred = new Map<string, Set<string>>();
  for (const { fields } of models.values()) {
    for (const field of fields) {
      if (field.kind !== "relation") continue;
      const names = referred.get(field.type) ?? new Set();
      referred.set(field.type, names);
      for (const name of field.relation.references) names.add(name);
    }
  }
  return referred;
}

/** The key, the foreign keys, and what foreign keys refer to. */
function linkSelect(
  { model, keySelect }: Resource,
  referred: ReadonlySet<string> = new Set(),
): Readonly<Record<string, true>> {
  const names = new Set(Object.keys(keySelect));
  for (const field of model.fields) {
    if (field.kind === "relation") for (const name of field.relation.fields) names.add(name);
  }
  return Object.freeze(Object.fromEntries([...names, ...referred].map((name) => [name, true as const])));
}
