import { type Model, type Models, type RelationField, type StoredField, type UniqueKey } from "@servicekit/prisma";
import { isBodyField, isHidden, isStored } from "@servicekit/prisma/internal";
import type { Operation } from "../config/operation.js";
import type { ResourceConfig } from "../config/resource-config.js";
import type { Resource, Resources } from "../resource.js";
import { type Settable, unsettableFields } from "./unsettable-fields.js";

/** Where a relation is stored. */
export type RelationLink =
  /** In foreign keys of this model: belongs-to. */
  | { readonly kind: "belongsTo"; readonly fields: readonly StoredField[]; readonly references: readonly string[] }
  /** In foreign keys of the related model, has-many or has-one: `fields` are its fields, `references` those of this model. */
  | {
      readonly kind: "hasMany";
      readonly opposite: string;
      readonly fields: readonly StoredField[];
      readonly references: readonly string[];
    }
  /** In a join table without a model: many-to-many. */
  | { readonly kind: "manyToMany"; readonly opposite: string };

/** The action of an object in place of a relation (contract C13). */
export type RelationAction = "connect" | "create" | "update" | "delete" | "disconnect";

/** A relation that bodies may contain. */
export interface WritableRelation {
  readonly name: string;
  readonly field: RelationField;
  readonly related: Resource;
  readonly link: RelationLink;
  /** `connect`: existing rows; `write`: rows may also be created, updated and deleted through it (contract C13). */
  readonly opens: "connect" | "write";
  /**
   * Why some actions are disabled for everyone although the relation is open: their operation is disabled, or has hooks
   * (C57).
   */
  readonly rejected: ReadonlyMap<RelationAction, string>;
  /** The unique keys of a related row, without those with hidden fields. */
  readonly keys: readonly UniqueKey[];
}

/** The settable fields and relations of one model: created once at startup. */
export interface WritableModel {
  readonly resource: Resource;
  readonly fields: ReadonlyMap<string, StoredField>;
  readonly relations: ReadonlyMap<string, WritableRelation>;
  /** The fields of new rows that the service sets and no body. */
  readonly newNames: ReadonlySet<string>;
  /** Why each other relation is not settable. */
  readonly closed: ReadonlyMap<string, string>;
  /** The required fields that no body can set: only a hook before the create can (contract C64). */
  readonly unsettable: readonly StoredField[];
  /** The field of the plain-text password that is hashed, if there is one. */
  readonly password: string | undefined;
  /** Prisma's `select` for everything that relations of a row depend on. */
  readonly linkSelect: Readonly<Record<string, true>>;
  /** `undefined` unless a row is a user. */
  readonly user: UserInfo | undefined;
}

/** The writable models by name. */
export type WritableModels = ReadonlyMap<string, WritableModel>;

/** The rules for rows of users; defined by the authentication. */
export interface UserInfo {
  /** The name of their model: relations to and from it are not settable unless they are allowed (contract C13). */
  readonly model: string;
  /** The field that accepts a plain-text password and stores its hash. */
  readonly password: string;
  /** The fields that identify a user, or lead to a new password. For an existing user only superusers change them. */
  readonly credentials: readonly string[];
  /** The fields that suspend and reactivate a user. */
  readonly suspending: readonly string[];
  /** The fields that grant permissions. Only superusers set them, and never through the relation of another model. */
  readonly administered: readonly string[];
}

/** The rules for the fields and relations of bodies. */
export interface WritableSettings {
  readonly models: Readonly<Record<string, ResourceConfig>>;
  /** `undefined` if no model represents users. */
  readonly users: UserInfo | undefined;
  /** Whether the password of a user is hashed (contract C11). */
  readonly hashesPassword: boolean;
  /** Whether the operation exists, for callers with access. */
  readonly isOffered: (model: Model, operation: Operation) => boolean;
  /** Whether hooks of the application run around an operation: bodies of other models would bypass them. */
  readonly hasHooks: (model: Model, operation: Operation) => boolean;
  /** The fields of new rows that the service sets and no body. */
  readonly newNames?: (model: Model) => ReadonlySet<string>;
}

/** Determines the settable fields and relations of every model. */
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
          newNames: settings.newNames?.(model) ?? noNames,
          closed,
          unsettable: unsettableFields(model, settableOf(model, own, settings)),
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
      if (!isStored(field)) return [];
      const isPassword = field.name === userOf(model, settings)?.password;
      const isOpen = isPassword
        ? settings.hashesPassword && isText(field)
        : config.writable?.includes(field.name) ||
          (!config.readonly?.includes(field.name) && isWritable(field, resource));
      return isOpen ? [[field.name, field] as const] : [];
    }),
  );
}

const noNames: ReadonlySet<string> = new Set();

const settableOf = (model: Model, fields: ReadonlyMap<string, StoredField>, settings: WritableSettings): Settable => ({
  ...{ fields, opened: openedNames(model, settings), newNames: settings.newNames?.(model) ?? noNames },
});

const openedNames = ({ name }: Model, { models }: WritableSettings): readonly string[] => models[name]?.writable ?? [];

const userOf = (model: Model, { users }: WritableSettings): UserInfo | undefined =>
  users?.model === model.name ? users : undefined;

const isText = (field: StoredField): boolean => field.type === "String" && !field.isList;

/** The settable fields: no hidden or read-only field, no id with a default, no automatic timestamp (C11). */
function isWritable(field: StoredField, resource: Resource): boolean {
  return isBodyField(field) && (isHidden(field) || resource.fields.has(field.name));
}

interface RuntimeEnvironment {
  readonly resources: Resources;
  readonly models: Models;
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, StoredField>>;
  readonly settings: WritableSettings;
}

/** The relation, the reason why it is not settable, or `undefined` for one that clients must not see. */
function writableRelation(
  field: RelationField,
  resource: Resource,
  { resources, models, fields, settings }: RuntimeEnvironment,
): WritableRelation | string | undefined {
  const { model } = resource;
  const config = settings.models[model.name] ?? {};
  const related = resources.get(field.type);
  const link = linkOf(field, resource, models);
  if (related === undefined || link === undefined) return undefined;
  const isOpened = config.writable?.includes(field.name) === true;
  if (!isOpened && !resource.relations.has(field.name)) return undefined;
  if (!isOpened && (field.annotations.readonly || config.readonly?.includes(field.name) === true))
    return "it is read-only";
  const isWritten = isOpened || field.annotations.writable;
  if (!isWritten) {
    const { users } = settings;
    if (users !== undefined && [model.name, field.type].includes(users.model)) return `it belongs to ${users.model}`;
    const holder = link.kind === "belongsTo" ? fields.get(model.name) : fields.get(field.type);
    if (link.kind !== "manyToMany" && !link.fields.every(({ name }) => holder?.has(name)))
      return "its key is read-only";
  }
  if (related.model.key === undefined || (link.kind !== "belongsTo" && related.model.isView))
    return "its rows have no key";
  const keys = related.model.uniqueKeys.filter((key) => key.fields.every(({ name }) => related.fields.has(name)));
  const settable = settableOf(related.model, fields.get(field.type) ?? new Map(), settings);
  const lacking = unsettableFields(related.model, settable, link.kind === "hasMany");
  const rejected = rejectedActions({ related: related.model, link, isNamed: isOpened, lacking }, settings);
  const acts = isWritten ? allActs : linkingActs;
  if (acts.every((act) => rejected.has(act))) return rejected.get("connect") ?? "its rows are not accessible";
  return Object.freeze<WritableRelation>({
    name: field.name,
    field,
    related,
    link,
    opens: isWritten ? "write" : "connect",
    rejected,
    keys,
  });
}

const linkingActs: readonly RelationAction[] = ["connect", "disconnect"];
const allActs: readonly RelationAction[] = [...linkingActs, "create", "update", "delete"];

/** The operation of the related model for an action; none if only this side is written. */
export function operationOf(
  act: RelationAction,
  { kind }: RelationLink,
): "createOne" | "updateOne" | "deleteOne" | undefined {
  if (act === "create") return "createOne";
  if (act === "update") return "updateOne";
  if (act === "delete") return "deleteOne";
  return kind === "hasMany" ? "updateOne" : undefined;
}

interface ActContext {
  readonly related: Model;
  readonly link: RelationLink;
  /** Whether the configuration allows the relation by its name: then hooks are bypassed deliberately. */
  readonly isNamed: boolean;
  /** The required fields of a new related row that no body can set. */
  readonly lacking: readonly StoredField[];
}

function rejectedActions(
  { related, link, isNamed, lacking }: ActContext,
  { isOffered, hasHooks }: WritableSettings,
): ReadonlyMap<RelationAction, string> {
  return new Map(
    allActs.flatMap((act): (readonly [RelationAction, string])[] => {
      const operation = operationOf(act, link);
      if (operation === undefined) return [];
      if (!isOffered(related, operation)) return [[act, `${related.name} has no ${operation}`]];
      if (act === "create" && lacking.length > 0)
        return [[act, `no body can set all required fields of ${related.name}`]];
      return !isNamed && hasHooks(related, operation) ? [[act, `${operation} of ${related.name} has hooks`]] : [];
    }),
  );
}

function linkOf(field: RelationField, { model }: Resource, models: Models): RelationLink | undefined {
  if (field.relation.fields.length > 0) {
    const fields = storedFields(model.fieldsByName, field.relation.fields);
    return { kind: "belongsTo", fields, references: field.relation.references };
  }
  const related = models.get(field.type);
  const opposite = related?.fieldsByName.get(field.relation.opposite ?? "");
  if (related === undefined || opposite?.kind !== "relation") return undefined;
  if (opposite.relation.fields.length === 0) return { kind: "manyToMany", opposite: opposite.name };
  const fields = storedFields(related.fieldsByName, opposite.relation.fields);
  return { kind: "hasMany", opposite: opposite.name, fields, references: opposite.relation.references };
}

const storedFields = (fields: ReadonlyMap<string, unknown>, names: readonly string[]): readonly StoredField[] =>
  names.map((name) => fields.get(name) as StoredField);

/** By model: the fields that foreign keys of any model reference. */
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

/** The key, the foreign keys, and the fields referenced by foreign keys. */
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
