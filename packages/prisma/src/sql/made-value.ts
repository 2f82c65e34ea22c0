import { randomInt, randomUUID } from "node:crypto";
import { constantDefault } from "../models/constant-default.js";
import { storedFields } from "../models/is-stored.js";
import type { Models, StoredField } from "../models/model.js";
import { giveUp } from "./not-foldable.js";

/** The value of a missing field: one that is sent, or one that the database creates. */
export type Made = { readonly value: unknown } | "by the database" | undefined;

/** Sets a missing field to the value that Prisma would set. */
export function madeValue(field: StoredField, now: Date): Made {
  const { default: from } = field;
  if (field.isUpdatedAt) return { value: now };
  // A missing list is empty for clients, and NULL in the database.
  if (from === undefined) return field.hasDefault && !field.isList ? giveUp() : undefined;
  if ("value" in from) return { value: constantDefault(field, from.value) };
  switch (from.function) {
    case "now":
      return { value: now };
    case "uuid":
      return { value: from.args?.[0] === 4 ? randomUUID() : from.args?.[0] === 7 ? timedUuid() : giveUp() };
    case "autoincrement":
    case "dbgenerated":
    case "sequence":
      return "by the database";
    default:
      return isMadeHere(field) ? { value: (makers.get(from.function) ?? giveUp())(from.args?.[0]) } : giveUp();
  }
}

type Maker = (size: number | undefined) => string;

/** The libraries inside Prisma's client. */
const libraries: Readonly<Record<string, () => Promise<Maker>>> = {
  cuid: async () => {
    const { default: cuid } = await import("@bugsnag/cuid");
    return () => cuid();
  },
  nanoid: async () => {
    const { nanoid } = await import("nanoid");
    return (size) => nanoid(size);
  },
  ulid: async () => {
    const { ulid } = await import("ulid");
    return () => ulid();
  },
};

const makers = new Map<string, Maker>();

/** Loads the id generators of these models; until then Prisma writes. */
export async function loadMakers(models: Models): Promise<void> {
  for (const model of models.values()) {
    for (const field of storedFields(model)) {
      if (field.default === undefined) continue;
      const name = "function" in field.default ? field.default.function : "";
      const library = Object.hasOwn(libraries, name) && !makers.has(name) ? libraries[name] : undefined;
      if (library !== undefined) makers.set(name, await library());
    }
  }
}

/** Whether {@link madeValue} supports the default of a field. */
export function isMadeHere({ default: from, hasDefault, isList, isUpdatedAt }: StoredField): boolean {
  if (from === undefined) return isUpdatedAt || isList || !hasDefault;
  if ("value" in from) return true;
  if (from.function === "uuid") return from.args?.[0] === 4 || from.args?.[0] === 7;
  if (from.function === "cuid") return from.args?.[0] === 1;
  return ["now", "autoincrement", "dbgenerated", "sequence", "nanoid", "ulid"].includes(from.function);
}

let last = 0;
let count = 0;

/** A UUID of version 7 (RFC 9562, 6.2, method 1): later ones sort after earlier ones. */
function timedUuid(): string {
  const now = Date.now();
  if (now > last) {
    last = now;
    count = randomInt(0x800);
  } else if (++count > 0xfff) {
    last++;
    count = randomInt(0x800);
  }
  const time = last.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}-${randomUUID().slice(19)}`;
}
