import type { Accounts } from "./access-rules.js";
import { orderFields, orderFieldsOfStaff, productFields, productFieldsOfStaff } from "./fields.js";
import { makeOwnRows } from "./own-rows.js";
import { replaceable } from "./replaceable.js";
import { makeTagsOnly } from "./tags-only.js";

const own = makeOwnRows("CUSTOMER");
const ofCustomer = own((customerId) => ({ customerId }));
const ofOrder = own((customerId) => ({ order: { customerId } }));

const staff = ["STAFF"];
const customers = ["CUSTOMER", "STAFF"];

const readBy = (rule: false | readonly string[]) => ({ findMany: rule, findOne: rule });
const writtenBy = (rule: readonly string[]) => ({
  ...{ createOne: rule, updateOne: rule, deleteOne: rule },
  ...{ createMany: rule, updateMany: rule, deleteMany: rule },
});

/** The catalog is public, and maintained by the staff. */
const catalogue = { ...readBy(false), ...writtenBy(staff) };
const ownReview = { rule: customers, where: ofCustomer };

/** The roles of the model's enum, with their access. Everything without a rule is for superusers. */
export const fixedAccounts: Accounts = {
  authentication: { mode: "static", login: { allowedUsernames: ["username", "email"] } },
  routes: {
    bestSellers: { resource: "report", action: "View", rule: staff },
    shipOrder: { resource: "order", action: "Ship", rule: { roles: staff, name: "Ship orders" } },
  },
  models: {
    Category: { auth: catalogue },
    Setting: replaceable.Setting,
    Tag: { ...replaceable.Tag, auth: catalogue },
    Product: { auth: { ...catalogue, fields: { "*": productFields, STAFF: productFieldsOfStaff } } },
    ProductImage: { auth: catalogue },
    Supplier: { auth: { ...readBy(staff), ...writtenBy(staff) } },
    ProductSupplier: { auth: { ...readBy(staff), ...writtenBy(staff) } },
    Coupon: { auth: { ...readBy(staff), ...writtenBy(staff) } },
    StockMovement: { auth: { ...readBy(staff), createOne: staff } },
    Customer: { auth: { ...readBy(customers), updateOne: customers, where: own((id) => ({ id })) } },
    Address: {
      auth: {
        ...readBy(customers),
        createOne: customers,
        updateOne: customers,
        deleteOne: customers,
        where: ofCustomer,
      },
    },
    Order: {
      auth: {
        ...readBy(customers),
        ...writtenBy(staff),
        updateOne: customers,
        where: ofCustomer,
        fields: { "*": orderFields, STAFF: orderFieldsOfStaff },
      },
      hooks: { beforeUpdateOne: makeTagsOnly("CUSTOMER") },
    },
    OrderItem: { auth: { ...readBy(customers), where: ofOrder } },
    Payment: { auth: { ...readBy(customers), where: ofOrder } },
    Review: {
      softDelete: true,
      auth: {
        ...readBy(false),
        ...{ createOne: ownReview, updateOne: ownReview, deleteOne: ownReview, restoreOne: ownReview },
        ...{ findDeleted: staff, deletePermanently: staff },
      },
      readonly: ["isVerified", "helpful"],
    },
  },
};
