import { type StartupIssue } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import { type Field, type Model, type Models, type RelationField, type StoredField } from "@servicekit/prisma";
import { capabilitiesOf, isHidden, isOptionalInCreate, isStored, type Provider } from "@servicekit/prisma/internal";

/** The part of the user model that rows of users need. */
export interface OwnerModel {
  readonly model: Model;
  readonly id: StoredField;
}

/** The requirements for a field of a model whose rows authentication writes. */
export interface Wanted {
  readonly expected: string;
  /** Whether `///` must hide it from every client. */
  readonly isSecret?: boolean;
  /** Whether the model may omit it. */
  readonly canMiss?: boolean;
  test(field: StoredField): boolean;
}

/** A model whose rows belong to users and are written only by authentication. */
export interface OwnedModel<Name extends string> {
  readonly model: Model;
  /** The relation to the user. */
  readonly owner: RelationField;
  /** The field with the id of the user. */
  readonly ownerKey: string;
  /** The fields of the model, by their purpose. */
  readonly has: ReadonlySet<Name>;
  /** Maximum length of a string field. */
  longest(name: Name): number;
}

/**
 * Finds a model of users' rows and validates its fields.
 *
 * @returns `undefined` if the schema has no such model, or issues were found
 */
export function readOwnedModel<Name extends string>(
  name: string,
  wanted: Readonly<Record<Name, Wanted>>,
  { models, user, issues }: { readonly models: Models; readonly user: OwnerModel; readonly issues: StartupIssue[] },
): OwnedModel<Name> | undefined {
  const model = models.get(name);
  if (model === undefined) return undefined;
  const before = issues.length;
  const has = new Set<Name>();
  const names = Object.keys(wanted) as Name[];
  for (const field of names) {
    if (model.fieldsByName.has(field)) has.add(field);
    issues.push(...fieldIssues(model, field, wanted[field], names));
  }
  const owner = model.fieldsByName.get("user");
  issues.push(...ownerIssues(model, owner, user));
  const ownerKey = owner?.kind === "relation" ? owner.relation.fields[0] : undefined;
  for (const field of model.fields) {
    if (field.kind === "relation" || has.has(field.name as Name) || field.name === ownerKey) continue;
    if (field.kind === "computed" || (isStored(field) ? isOptionalInCreate(field) : !field.isRequired)) continue;
    const message = "must be optional or have a default: authentication creates the rows and does not set this field.";
    issues.push({ where: `field ${name}.${field.name}`, message });
  }
  if (issues.length > before || owner?.kind !== "relation" || ownerKey === undefined) return undefined;
  const longest = (one: Name): number => longestText(model.fieldsByName.get(one));
  return Object.freeze({ model, owner, ownerKey, has, longest });
}

function fieldIssues(model: Model, name: string, wanted: Wanted, names: readonly string[]): StartupIssue[] {
  const field = model.fieldsByName.get(name);
  if (field === undefined) {
    if (wanted.canMiss === true) return [];
    const others = [...model.fieldsByName.keys()].filter((other) => !names.includes(other));
    const near = nearestWord(name, others);
    const hint = near === undefined ? "." : `. Did you mean ${near}?`;
    return [{ where: `model ${model.name}`, message: `requires a field ${name}, ${wanted.expected}${hint}` }];
  }
  const where = `field ${model.name}.${name}`;
  if (!isStored(field) || !wanted.test(field)) {
    return [{ where, message: `must be ${wanted.expected}; authentication reads and writes it.` }];
  }
  if (wanted.isSecret !== true || isHidden(field)) return [];
  return [{ where, message: "must be annotated with `/// @hidden`: only authentication uses it." }];
}

function ownerIssues(model: Model, owner: Field | undefined, user: OwnerModel): StartupIssue[] {
  const where = `field ${model.name}.user`;
  if (owner?.kind !== "relation" || owner.type !== user.model.name || owner.isList || !owner.isRequired) {
    return [{ where, message: `must be the relation to the model ${user.model.name}.` }];
  }
  const { fields, references, onDelete } = owner.relation;
  if (fields.length !== 1 || references[0] !== user.id.name) {
    return [{ where, message: `must reference the id of ${user.model.name}: fields: [userId], references: [id].` }];
  }
  if (onDelete === "Cascade") return [];
  return [{ where, message: "must declare onDelete: Cascade; otherwise users cannot be deleted." }];
}

function longestText(field: Field | undefined): number {
  if (field === undefined || !isStored(field)) return 0;
  const { name, args } = field.nativeType ?? {};
  return name === "VarChar" || name === "Char" ? Number(args?.[0] ?? 1) : Number.POSITIVE_INFINITY;
}

const isScalar = (field: StoredField, type: string): boolean =>
  field.kind === "scalar" && field.type === type && !field.isList;

const holds = (field: StoredField, characters: number): boolean =>
  isScalar(field, "String") && longestText(field) >= characters;

/** A required string. */
export const text = (characters: number): Wanted => ({
  expected: `a required String of ${characters} characters`,
  test: (field) => field.isRequired && holds(field, characters),
});

/** An optional string. */
export const optionalText = (characters: number): Wanted => ({
  expected: `an optional String of ${characters} characters`,
  test: (field) => !field.isRequired && holds(field, characters),
});

/** A required date-time. */
export const time: Wanted = {
  expected: "a required DateTime",
  test: (field) => field.isRequired && isScalar(field, "DateTime"),
};

/** An optional date-time. */
export const optionalTime: Wanted = {
  expected: "an optional DateTime",
  test: (field) => !field.isRequired && isScalar(field, "DateTime"),
};

/** A list of strings; in a database without list columns it is JSON. */
export const texts = (provider: Provider): Wanted =>
  capabilitiesOf(provider).listColumns
    ? {
        expected: "a list of String",
        test: (field) => field.kind === "scalar" && field.type === "String" && field.isList,
      }
    : { expected: "a required Json", test: (field) => field.isRequired && isScalar(field, "Json") };
