//: if accounts
import { callerOf, type ModelConfig, userIdOf } from "@servicekit/service";

export default {
  auth: {
    all: true, // signed-in users
    // The rows that a caller can access, on every path.
    where: (request) =>
      callerOf(request)?.roles.includes("{{staff}}") === true || { ownerId: Number(userIdOf(request) ?? 0) },
  },
  // The hook in note.middlewares.ts handles one note at a time.
  operations: { createMany: false },
  searchable: ["text"],
} satisfies ModelConfig;
//: else
import type { ModelConfig } from "@servicekit/service";

/** The visible rows, on every path: also in includes and filters. */
const where = { isArchived: false };

export default {
  query: { findMany: { where, orderBy: { createdAt: "desc" } }, findOne: { where } },
  searchable: ["text"],
} satisfies ModelConfig;
//: end
