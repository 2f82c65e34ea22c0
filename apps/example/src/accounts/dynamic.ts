import type { Accounts } from "./access-rules.js";
import { orderFields, orderFieldsOfStaff, productFields, productFieldsOfStaff } from "./fields.js";
import { makeOwnRows } from "./own-rows.js";
import { replaceable } from "./replaceable.js";
import { makeTagsOnly } from "./tags-only.js";

const own = makeOwnRows("customer");
const ofCustomer = own((customerId) => ({ customerId }));
const ofOrder = own((customerId) => ({ order: { customerId } }));

const tagsOnly = makeTagsOnly("customer");

/** Open to everyone; everything else requires a stored permission. */
const readable = { findMany: false, findOne: false } as const;
const ownReview = { where: ofCustomer };

/**
 * Permissions are in the rows of `AuthRole` and `AuthPermission` (the first ones are in src/seed/accounts.ts); here are
 * only the open operations, the row rules and the field rules.
 */
export const storedAccounts: Accounts = {
  authentication: { mode: "dynamic", login: { allowedUsernames: ["username", "email"] } },
  routes: {
    bestSellers: { resource: "report", action: "View" },
    shipOrder: { resource: "order", action: "Ship", rule: { roles: [], name: "Ship orders" } },
  },
  models: {
    Category: { auth: readable },
    Setting: replaceable.Setting,
    Tag: { ...replaceable.Tag, auth: readable },
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
      hooks: { beforeUpdateOne: tagsOnly, beforeUpdateMany: tagsOnly },
    },
    OrderItem: { auth: { where: ofOrder } },
    Payment: { auth: { where: ofOrder } },
    Review: {
      softDelete: true,
      auth: {
        ...readable,
        // A stored permission covers single and bulk operations, so both have the rule.
        ...{ createOne: ownReview, updateOne: ownReview, deleteOne: ownReview },
        ...{ createMany: ownReview, updateMany: ownReview, deleteMany: ownReview, restoreOne: ownReview },
      },
      readonly: ["isVerified", "helpful"],
    },
  },
};
