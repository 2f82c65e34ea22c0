import type { PrismaClient } from "../generated/prisma/client.js";

/** The password of every account of the seed, for development. */
export const seedPassword = "harbour and pine";

/** A bcrypt hash of {@link seedPassword} at the cost that the service itself uses. */
const hash = "$2b$12$s25379svLUMSW3aMacFIE.ctnhLQsLVYAknQXmbO2lwxEIk9OD3Ay";

const all = ["Create", "View", "Update", "Delete"];

/** The initial permissions of the stored roles: actions by resource. */
const permissions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  customer: {
    customer: ["View", "Update"],
    address: all,
    order: ["View", "Update"],
    "order-item": ["View"],
    payment: ["View"],
    review: ["Create", "Update", "Delete", "Restore"],
  },
  editor: {
    category: all,
    tag: all,
    product: all,
    "product-image": all,
    "product-supplier": all,
    review: ["Delete", "ViewDeleted", "Restore", "DeletePermanently"],
    supplier: ["View"],
    report: ["View"],
  },
  warehouse: {
    customer: ["View"],
    address: ["View"],
    order: ["View", "Update", "Ship"],
    "order-item": ["View"],
    "stock-movement": ["View", "Create"],
  },
};

/** The accounts of the seed: with a role for each of the two kinds of accounts. */
const users = [
  { username: "ada", role: "CUSTOMER", stored: "customer" },
  { username: "ben", role: "CUSTOMER", stored: "customer" },
  { username: "edda", role: "STAFF", stored: "editor" },
  { username: "will", role: "STAFF", stored: "warehouse" },
  { username: "root", role: "STAFF", stored: undefined },
] as const;

/**
 * Creates the development accounts if there are none yet: two customers with orders and reviews, two members of the
 * staff, and a superuser.
 *
 * @returns their names; empty if there were users already
 */
export function seedAccounts(client: PrismaClient): Promise<readonly string[]> {
  return client.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('seed'))`;
    if ((await transaction.user.findFirst()) !== null) return [];
    const customers = await transaction.customer.findMany({
      where: { orders: { some: {} }, reviews: { some: {} }, addresses: { some: {} } },
      orderBy: { email: "asc" },
      take: 2,
    });
    for (const [name, rights] of Object.entries(permissions)) {
      const create = Object.entries(rights).flatMap(([resource, actions]) =>
        actions.map((action) => ({ resource, action })),
      );
      await transaction.authRole.create({ data: { name, permissions: { create } } });
    }
    for (const [at, { username, role, stored }] of users.entries()) {
      await transaction.user.create({
        data: {
          ...{ username, role, email: `${username}@harbour-pine.example`, password: hash, emailVerified: true },
          isSuperUser: stored === undefined,
          ...(stored === undefined ? {} : { roles: { connect: { name: stored } } }),
          customerId: customers[at]?.id ?? null,
        },
      });
    }
    return users.map(({ username }) => username);
  });
}
