import type { Accounts } from "./accounts.js";
import { orderFields, orderFieldsOfStaff, productFields, productFieldsOfStaff } from "./fields.js";
import { makeOnlyWishes } from "./only-wishes.js";
import { makeOwnRows } from "./own-rows.js";

const own = makeOwnRows("customer");
const ofCustomer = own((customerId) => ({ customerId }));
const ofOrder = own((customerId) => ({ order: { customerId } }));

const onlyWishes = makeOnlyWishes("customer");

/** Open to everyone; all else asks for a stored permission. */
const readable = { findMany: false, findOne: false } as const;
const ownReview = { where: ofCustomer };

/**
 * Who may do what stands in the rows of `AuthRole` and `AuthPermission` (the first ones are in src/seed/accounts.ts); here
 * is only what is open, and which rows and fields it is about.
 */
export const storedAccounts: Accounts = {
  authentication: { mode: "dynamic", login: { allowedUsernames: ["username", "email"] } },
  routes: {
    bestSellers: { resource: "report", action: "View" },
    shipOrder: { resource: "order", action: "Ship", rule: { roles: [], name: "Ship orders" } },
  },
  models: {
    Category: { auth: readable },
    Tag: { auth: readable },
    Product: {
      auth: {
        ...readable,
        fields: { "*": productFields, editor: productFieldsOfStaff, warehouse: productFieldsOfStaff },
      },
    },
    ProductImage: { auth: readable },
    Customer: { auth: { where: own((id) => ({ id })) } },
    Address: { auth: { where: ofCustomer } },
    Order: {
      auth: { where: ofCustomer, fields: { "*": orderFields, warehouse: orderFieldsOfStaff } },
      hooks: { beforeUpdateOne: onlyWishes, beforeUpdateMany: onlyWishes },
    },
    OrderItem: { auth: { where: ofOrder } },
    Payment: { auth: { where: ofOrder } },
    Review: {
      auth: {
        ...readable,
        // A stored permission is one for single and bulk alike, so the rule stands at both.
        ...{ createOne: ownReview, updateOne: ownReview, deleteOne: ownReview },
        ...{ createMany: ownReview, updateMany: ownReview, deleteMany: ownReview },
      },
      readonly: ["isVerified", "helpful"],
    },
  },
};
