import type { Accounts } from "./accounts.js";

/** No route at all: without accounts nobody shall read or write who could sign in. */
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

/** The open shop: everyone may do everything. */
export const noAccounts: Accounts = {
  models: { User: closed, AuthRole: closed, AuthPermission: closed },
  routes: {},
};
