//: if accounts
import { callerOf, type ModelConfig, userIdOf } from "@servicekit/service";

export default {
  auth: {
    read: true, // who is signed in
    createOne: true,
//: if static
    write: ["STAFF"],
//: end
    // The rows that there are at all for whoever asks, on every path to them: the staff's are all, a customer's his own.
    where: (request) =>
      callerOf(request)?.roles.includes("{{staff}}") === true || { ownerId: Number(userIdOf(request) ?? 0) },
  },
  // The hook in order.middlewares.ts is about one order at a time.
  operations: { createMany: false },
} satisfies ModelConfig;
//: else
import type { ModelConfig } from "@servicekit/service";

/** The rows that there are: on every path to them, includes and filters too. */
const where = { isArchived: false };

export default {
  query: { findMany: { where, orderBy: { createdAt: "desc" } }, findOne: { where } },
  // The hook in order.middlewares.ts is about one order at a time.
  operations: { createMany: false },
} satisfies ModelConfig;
//: end
