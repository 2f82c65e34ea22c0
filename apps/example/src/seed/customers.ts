import type { Prisma } from "../generated/prisma/client.js";
import type { Random } from "./random.js";
import { cities, firstNames, lastNames, streets } from "./words.js";

/** The customers and their addresses. Sales add the loyalty points. */
export interface CustomerRow {
  readonly row: Prisma.CustomerCreateManyInput & { id: string; loyaltyPoints: number };
  readonly createdAt: Date;
  readonly addresses: (Prisma.AddressCreateManyInput & { id: number })[];
}

const count = 320;
const firstDay = new Date("2023-04-01T00:00:00Z");
const lastDay = new Date("2025-06-30T00:00:00Z");

/** Characters that every mail server accepts. */
function toMailName(name: string): string {
  const plain = name
    .normalize("NFD")
    .replaceAll(/\p{Diacritic}/gu, "")
    .replaceAll("ı", "i");
  return plain.toLowerCase().replaceAll(/[^a-z]+/g, "");
}

function makePostalCode(random: Random, pattern: string): string {
  return pattern
    .replaceAll("#", () => String(random.integer(0, 9)))
    .replaceAll("@", () => random.pick([..."ABCDEFGHJKLMNPRSTVWXZ"]));
}

/** The customers with their addresses; address ids count from 1. */
export function makeCustomers(random: Random): CustomerRow[] {
  const labels = [
    ["HOME", "Home"],
    ["WORK", "Office"],
    ["PICKUP_POINT", "Parcel station"],
  ] as const;
  let addressId = 0;
  return Array.from({ length: count }, (_, at) => {
    const id = random.uuid();
    const first = random.pick(firstNames);
    const last = random.pick(lastNames);
    const createdAt = random.date(firstDay, lastDay);
    const addresses = labels.slice(0, random.pick([1, 1, 1, 2, 2, 3])).map(([kind, label]) => {
      const [city, country, pattern] = random.pick(cities);
      addressId += 1;
      return {
        id: addressId,
        kind,
        label,
        street: `${random.pick(streets)} ${random.integer(1, 180)}`,
        postalCode: makePostalCode(random, pattern),
        city,
        country,
        customerId: id,
      };
    });
    const row: CustomerRow["row"] = {
      id,
      email: `${toMailName(first)}.${toMailName(last)}.${at + 1}@example.com`,
      name: `${first} ${last}`,
      phone: random.chance(0.6) ? `+49 151 ${random.integer(1_000_000, 9_999_999)}` : null,
      birthday: random.chance(0.5)
        ? new Date(Date.UTC(random.integer(1948, 2005), random.integer(0, 11), random.integer(1, 28)))
        : null,
      newsletter: random.chance(0.4),
      loyaltyPoints: 0,
      staffNote: random.chance(0.1) ? random.pick(["pays late", "friend of the house", "returns a lot"]) : null,
      preferences: random.chance(0.5)
        ? { language: random.pick(["en", "de", "fr", "fi"]), wrap: random.chance(0.2), topics: ["hiking"] }
        : {},
      createdAt,
    };
    return { row, createdAt, addresses };
  });
}
