import { type Database, fieldCondition, type Row } from "@servicekit/prisma";
import { isStored } from "@servicekit/prisma/internal";
import { loadTogether } from "../credentials/load-together.js";
import { type OwnerReader } from "../credentials/owner.js";
import type { UserModel } from "./user-model.js";
import { visibleFields } from "./user-model.js";
import type { Permission, UserId, UserRecord, UserRow, UserStore } from "./user-store.js";

type Clause = Readonly<Record<string, unknown>>;

/** The selection of a user with roles and permissions, and how the result is read. */
export function makeUserReader(user: UserModel): OwnerReader<UserRecord> {
  const shownNames = visibleFields(user).map(({ name }) => name);
  return { select: selectionOf(user), toRecord: (row) => readRecord(row, user, shownNames) };
}

/** Stores users in the model `User` of a database. */
export function makeOrmUserStore(database: Database, user: UserModel): UserStore {
  const users = database.of(user.model);
  const { id, password, passwordChangedAt, lastLoginAt, deletedAt, email, emailVerified } = user;
  const { select, toRecord } = makeUserReader(user);
  const shownNames = visibleFields(user).map(({ name }) => name);
  const shownSelect = Object.fromEntries([...shownNames, id.name].map((name) => [name, true]));

  const load = loadTogether(async (ids: readonly UserId[]): Promise<ReadonlyMap<string, Row>> => {
    const [only, ...others] = ids;
    const rows =
      others.length === 0
        ? [await users.findUnique({ where: { [id.name]: only }, select })].filter((row) => row !== null)
        : await users.findMany({ where: { [id.name]: { in: ids } }, select });
    return new Map(rows.map((row) => [String(row[id.name]), row]));
  });

  /** The only row that matches a condition; `undefined` if two rows match. */
  const findOnly = async (where: Clause): Promise<UserRecord | undefined> => {
    const [first, second] = await users.findMany({ where, select, take: 2 });
    return first === undefined || second !== undefined ? undefined : toRecord(first);
  };

  return {
    has: { email: email !== undefined, emailVerified: email !== undefined && emailVerified !== undefined },
    async findById(text) {
      const value = readId(text, user);
      const row = value === undefined ? undefined : await load(value);
      return row && toRecord(row);
    },
    findByLogin: (field, name) => findOnly(loginCondition(field.split("."), name, database, user)),
    async findByEmail(address) {
      return email === undefined ? undefined : findOnly({ [email.name]: address });
    },
    async hasName(field, name, except) {
      const named = user.model.fieldsByName.get(field);
      if (named?.kind !== "scalar" || named.type !== "String" || named.isList) return false;
      const others = except === undefined ? {} : { NOT: { [id.name]: except } };
      const where = { ...fieldCondition(named, "iequals", name), ...others };
      return (await users.findMany({ where, select: { [id.name]: true }, take: 1 })).length > 0;
    },
    async create(data, passwordHash) {
      const row = await users.create({
        data: { ...toWrites(data, user), [password.name]: passwordHash, ...stamp(passwordChangedAt) },
        select,
      });
      return toRecord(row);
    },
    async update(record, changes) {
      const data = { ...forgetVerified(record, changes, user), ...toWrites(changes, user) };
      const row = await users.update({ where: { [id.name]: record.id }, data, select });
      return toRecord(row);
    },
    async setPassword(record, passwordHash) {
      const [row] = await users.updateMany({
        where: { [id.name]: record.id, [password.name]: record.passwordHash },
        data: { [password.name]: passwordHash, ...stamp(passwordChangedAt) },
        select: shownSelect,
      });
      return row === undefined ? undefined : { ...record, passwordHash, user: row };
    },
    async recordLogin(record) {
      if (lastLoginAt === undefined) return record;
      const where = { [id.name]: record.id };
      const [row] = await users.updateMany({ where, data: stamp(lastLoginAt), select: shownSelect });
      // The token of a deleted user is never accepted.
      return row === undefined ? record : { ...record, user: row };
    },
    async setEmailVerified(record) {
      if (email === undefined || emailVerified === undefined) return false;
      const changed = await users.updateMany({
        where: { [id.name]: record.id, [email.name]: record.email },
        data: { [emailVerified.name]: emailVerified.type === "Boolean" ? true : new Date() },
        select: { [id.name]: true },
      });
      return changed.length > 0;
    },
    async remove(key) {
      const where = { [id.name]: key };
      if (deletedAt === undefined) await users.delete({ where, select: { [id.name]: true } });
      else await users.update({ where, data: stamp(deletedAt), select: { [id.name]: true } });
    },
  };
}

const stamp = (field: { readonly name: string } | undefined): Row =>
  field === undefined ? {} : { [field.name]: new Date() };

/** Everything about a user, in one query. */
function selectionOf(user: UserModel): Clause {
  const { roles, storedRoles, ...fields } = user;
  const named = [
    ...visibleFields(user),
    ...roles,
    ...[fields.id, fields.password, fields.isActive, fields.isSuperUser],
    ...[fields.passwordChangedAt, fields.deletedAt, fields.email, fields.emailVerified],
  ];
  const select: Record<string, unknown> = {};
  for (const field of named) if (field !== undefined) select[field.name] = true;
  if (storedRoles === undefined) return select;
  const { relation, join, permissions } = storedRoles;
  // Sorted, because otherwise a list of related rows would need a separate statement.
  const given = { select: { resource: true, action: true }, orderBy: [{ resource: "asc" }, { action: "asc" }] };
  const role = { select: { name: true, [permissions]: given } };
  const related = join === undefined ? role : { select: { [join]: role } };
  const byName = { name: "asc" };
  return { ...select, [relation]: { ...related, orderBy: [join === undefined ? byName : { [join]: byName }] } };
}

function readRecord(row: Row, user: UserModel, shownNames: readonly string[]): UserRecord {
  const { id, password, isActive, isSuperUser, deletedAt, passwordChangedAt, email, emailVerified } = user;
  const shown: Record<string, unknown> = {};
  for (const name of shownNames) shown[name] = row[name];
  const stored = row[password.name];
  return {
    id: row[id.name] as UserId,
    passwordHash: typeof stored === "string" ? stored : null,
    // A nullable flag that is null counts as set.
    isActive: (isActive === undefined || row[isActive.name] !== false) && !isDeleted(row, deletedAt?.name),
    isSuperUser: isSuperUser !== undefined && row[isSuperUser.name] === true,
    ...readRights(row, user),
    ...(passwordChangedAt === undefined ? {} : { passwordChangedAt: row[passwordChangedAt.name] as Date | null }),
    ...(email === undefined ? {} : { email: row[email.name] as string | null }),
    ...(emailVerified === undefined ? {} : { emailVerified: isSet(row[emailVerified.name]) }),
    user: shown,
  };
}

const isSet = (value: unknown): boolean => value === true || value instanceof Date;

function isDeleted(row: Row, name: string | undefined): boolean {
  return name !== undefined && row[name] !== null;
}

interface StoredRole {
  readonly name: string;
  readonly [permissions: string]: unknown;
}

function readRights(row: Row, { roles, storedRoles }: UserModel): Pick<UserRecord, "roles" | "permissions"> {
  if (storedRoles === undefined) {
    // JSON that is not a list of names grants no role.
    const names = roles.flatMap(({ name }) => row[name]);
    return { roles: names.filter((name): name is string => typeof name === "string"), permissions: [] };
  }
  const { relation, join, permissions } = storedRoles;
  const related = row[relation] as readonly Row[];
  const found = (join === undefined ? related : related.map((one) => one[join])) as readonly (StoredRole | null)[];
  const given = found.filter((one) => one !== null);
  return {
    roles: given.map(({ name }) => name),
    permissions: given.flatMap((one) => one[permissions] as readonly Permission[]),
  };
}

/** The value of an id in a token; `undefined` if it is invalid. */
function readId(text: string, { id }: UserModel): UserId | undefined {
  if (id.type === "String") {
    if (id.nativeType?.name !== "Uuid") return text;
    return /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
  }
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  if (id.type === "BigInt") return BigInt.asIntN(64, value) === value ? value : undefined;
  return BigInt.asIntN(32, value) === value ? Number(value) : undefined;
}

/** The condition of a login name: the exact text, also through relations. */
function loginCondition(parts: readonly string[], name: string, database: Database, user: UserModel): Clause {
  const [first = "", ...rest] = parts;
  const nest = (model: string, path: readonly string[]): Clause => {
    const [part = "", ...deeper] = path;
    if (deeper.length === 0) return { [part]: name };
    const field = database.models.get(model)?.fieldsByName.get(part);
    const inner = nest(field?.type ?? "", deeper);
    return { [part]: field?.isList === true ? { some: inner } : { is: inner } };
  };
  return nest(user.model.name, [first, ...rest]);
}

/** A changed address is no longer verified. */
function forgetVerified(record: UserRecord, changes: UserRow, { email, emailVerified }: UserModel): Row {
  if (email === undefined || emailVerified === undefined) return {};
  const address = changes[email.name];
  if (address === undefined || address === record.email) return {};
  return { [emailVerified.name]: emailVerified.type === "Boolean" ? false : null };
}

/**
 * The validated values, as Prisma writes them: keys that are not fields belong to hooks and are removed; a relation,
 * which only a schema of the auth module can allow, creates its rows.
 */
function toWrites(data: UserRow, { model, password }: UserModel): Row {
  const writes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) {
    const field = model.fieldsByName.get(name);
    if (field === undefined || name === password.name || value === undefined) continue;
    if (isStored(field)) writes[name] = value;
    else if (field.kind === "relation" && value !== null) writes[name] = { create: value };
  }
  return writes;
}
