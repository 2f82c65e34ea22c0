//: if accounts
import { callerOf, type ModelConfig, userIdOf } from "@servicekit/service";

export default {
  auth: {
    read: true, // signed-in users
    createOne: true,
//: if static
    write: ["STAFF"],
//: end
    // The rows that a caller can access, on every path: all for staff, their own for customers.
    where: (request) =>
      callerOf(request)?.roles.includes("{{staff}}") === true || { ownerId: Number(userIdOf(request) ?? 0) },
  },
  // The hook in order.middlewares.ts handles one order at a time.
  operations: { createMany: false },
} satisfies ModelConfig;
//: else
import type { ModelConfig } from "@servicekit/service";

/** The visible rows, on every path: also in includes and filters. */
const where = { isArchived: false };

export default {
  query: { findMany: { where, orderBy: { createdAt: "desc" } }, findOne: { where } },
  // The hook in order.middlewares.ts handles one order at a time.
  operations: { createMany: false },
} satisfies ModelConfig;
//: end
