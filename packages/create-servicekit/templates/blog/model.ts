//: if accounts
import { callerOf, type ModelConfig, type Request, userIdOf } from "@servicekit/service";

const isStaff = (request: Request) => callerOf(request)?.roles.includes("{{staff}}") === true;
const own = (request: Request) => ({ ownerId: Number(userIdOf(request) ?? 0) });

export default {
  auth: {
    read: false, // everyone
    write: { rule: true, where: (request) => isStaff(request) || own(request) }, // signed-in users, for their own posts
    // The rows that a caller can access, on every path: also in includes and filters.
    where: (request) => isStaff(request) || { OR: [{ isPublished: true }, own(request)] },
  },
  // The hook in post.middlewares.ts handles one post at a time.
  operations: { createMany: false },
  searchable: ["title", "content"],
} satisfies ModelConfig;
//: else
import type { ModelConfig } from "@servicekit/service";

/** The visible rows, on every path: also in includes and filters. */
const where = { isArchived: false };

export default {
  query: { findMany: { where, orderBy: { createdAt: "desc" } }, findOne: { where } },
  // The hook in post.middlewares.ts handles one post at a time.
  operations: { createMany: false },
  searchable: ["title", "content"],
} satisfies ModelConfig;
//: end
