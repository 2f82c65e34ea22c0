//: if accounts
import { callerOf, type ModelConfig, userIdOf } from "@servicekit/service";

export default {
  auth: {
    all: true, // who is signed in
    // The rows that there are at all for whoever asks, on every path to them.
    where: (request) =>
      callerOf(request)?.roles.includes("{{staff}}") === true || { ownerId: Number(userIdOf(request) ?? 0) },
  },
  // The hook in note.middlewares.ts is about one note at a time.
  operations: { createMany: false },
  searchable: ["text"],
} satisfies ModelConfig;
//: else
import type { ModelConfig } from "@servicekit/service";

/** The rows that there are: on every path to them, includes and filters too. */
const where = { isArchived: false };

export default {
  query: { findMany: { where, orderBy: { createdAt: "desc" } }, findOne: { where } },
  searchable: ["text"],
} satisfies ModelConfig;
//: end
