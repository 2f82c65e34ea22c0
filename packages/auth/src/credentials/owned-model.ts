import { type StartFault } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import { type Field, type Model, type Models, type RelationField, type StoredField } from "@servicekit/prisma";
import { isHidden, isOptionalInCreate } from "@servicekit/prisma/internal";

/** The model of users, as far as rows of theirs need it. */
export interface OwnerModel {
  readonly model: Model;
  readonly id: StoredField;
}

/** What authentication expects of a field of a model whose rows it writes. */
export interface Wanted {
  readonly expected: string;
  /** Whether `///` has to hide it from every client. */
  readonly isSecret?: boolean;
  /** Whether the model can do without. */
  readonly canMiss?: boolean;
  test(field: StoredField): boolean;
}

/** A model whose rows belong to users and are written by authentication alone. */
export interface OwnedModel<Name extends string> {
  readonly model: Model;
  /** The relation to the user. */
  readonly owner: RelationField;
  /** Where the id of the user stands. */
  readonly ownerKey: string;
  /** Those that the model has, by the name of what they mean. */
  readonly has: ReadonlySet<Name>;
  /** As many characters as a text of a field may have. */
  longest(name: Name): number;
}

/**
 * Finds a model of users' rows and holds its fields against what authentication expects.
 *
 * @returns `undefined` where the schema has no such model, or faults were found
 */
export function readOwnedModel<Name extends string>(
  name: string,
  wanted: Readonly<Record<Name, Wanted>>,
  { models, user, faults }: { readonly models: Models; readonly user: OwnerModel; readonly faults: StartFault[] },
): OwnedModel<Name> | undefined {
  const model = models.get(name);
  if (model === undefined) return undefined;
  const before = faults.length;
  const has = new Set<Name>();
  const names = Object.keys(wanted) as Name[];
  for (const field of names) {
    if (model.fieldsByName.has(field)) has.add(field);
    faults.push(...fieldFaults(model, field, wanted[field], names));
  }
  const owner = model.fieldsByName.get("user");
  faults.push(...ownerFaults(model, owner, user));
  const ownerKey = owner?.kind === "relation" ? owner.relation.fields[0] : undefined;
  for (const field of model.fields) {
    if (field.kind === "relation" || has.has(field.name as Name) || field.name === ownerKey) continue;
    if (field.kind !== "unsupported" && isOptionalInCreate(field)) continue;
    const message = "must be optional or have a default: authentication creates the rows, and does not know it.";
    if (field.kind !== "unsupported" || field.isRequired)
      faults.push({ where: `field ${name}.${field.name}`, message });
  }
  if (faults.length > before || owner?.kind !== "relation" || ownerKey === undefined) return undefined;
  const longest = (one: Name): number => longestText(model.fieldsByName.get(one));
  return Object.freeze({ model, owner, ownerKey, has, longest });
}

function fieldFaults(model: Model, name: string, wanted: Wanted, names: readonly string[]): StartFault[] {
  const field = model.fieldsByName.get(name);
  if (field === undefined) {
    if (wanted.canMiss === true) return [];
    const others = [...model.fieldsByName.keys()].filter((other) => !names.includes(other));
    const near = nearestWord(name, others);
    const hint = near === undefined ? "." : `; is ${near} meant?`;
    return [{ where: `model ${model.name}`, message: `needs a field ${name}, ${wanted.expected}${hint}` }];
  }
  const where = `field ${model.name}.${name}`;
  if (field.kind === "relation" || field.kind === "unsupported" || !wanted.test(field)) {
    return [{ where, message: `must be ${wanted.expected}; authentication reads and writes it.` }];
  }
  if (wanted.isSecret !== true || isHidden(field)) return [];
  return [{ where, message: "must be marked `/// @hidden`: nobody has a use for it but authentication." }];
}

function ownerFaults(model: Model, owner: Field | undefined, user: OwnerModel): StartFault[] {
  const where = `field ${model.name}.user`;
  if (owner?.kind !== "relation" || owner.type !== user.model.name || owner.isList || !owner.isRequired) {
    return [{ where, message: `must be the relation to the model ${user.model.name}.` }];
  }
  const { fields, references, onDelete } = owner.relation;
  if (fields.length !== 1 || references[0] !== user.id.name) {
    return [{ where, message: `must point at the id of ${user.model.name}: fields: [userId], references: [id].` }];
  }
  if (onDelete === "Cascade") return [];
  return [{ where, message: "must say onDelete: Cascade, or no user could be deleted." }];
}

function longestText(field: Field | undefined): number {
  if (field === undefined || field.kind === "relation" || field.kind === "unsupported") return 0;
  const { name, args } = field.nativeType ?? {};
  return name === "VarChar" || name === "Char" ? Number(args?.[0] ?? 1) : Number.POSITIVE_INFINITY;
}

const isScalar = (field: StoredField, type: string): boolean =>
  field.kind === "scalar" && field.type === type && !field.isList;

const holds = (field: StoredField, characters: number): boolean =>
  isScalar(field, "String") && longestText(field) >= characters;

/** A text that is always there. */
export const text = (characters: number): Wanted => ({
  expected: `a String that is never null, for ${characters} characters`,
  test: (field) => field.isRequired && holds(field, characters),
});

/** A text that is not always there. */
export const optionalText = (characters: number): Wanted => ({
  expected: `a String that may be null, for ${characters} characters`,
  test: (field) => !field.isRequired && holds(field, characters),
});

/** A time that is always there. */
export const time: Wanted = {
  expected: "a DateTime that is never null",
  test: (field) => field.isRequired && isScalar(field, "DateTime"),
};

/** A time that is not always there. */
export const optionalTime: Wanted = {
  expected: "a DateTime that may be null",
  test: (field) => !field.isRequired && isScalar(field, "DateTime"),
};

/** A list of texts. */
export const texts: Wanted = {
  expected: "a list of String",
  test: (field) => field.kind === "scalar" && field.type === "String" && field.isList,
};
