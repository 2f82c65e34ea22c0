import type { Accounts } from "./access-rules.js";
import { replaceable } from "./replaceable.js";

/** No routes: without accounts, rows that authentication uses must not be readable or writable. */
const closed = {
  operations: {
    findMany: false,
    findOne: false,
    createOne: false,
    updateOne: false,
    deleteOne: false,
    createMany: false,
    updateMany: false,
    deleteMany: false,
  },
} as const;

/** The open shop: everything is open to everyone. */
export const noAccounts: Accounts = {
  models: { ...replaceable, Review: { softDelete: true }, User: closed, AuthRole: closed, AuthPermission: closed },
  routes: {},
};
