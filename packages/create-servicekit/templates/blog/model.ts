//: if accounts
import { callerOf, type ModelConfig, type Request, userIdOf } from "@servicekit/service";

const isStaff = (request: Request) => callerOf(request)?.roles.includes("{{staff}}") === true;
const own = (request: Request) => ({ ownerId: Number(userIdOf(request) ?? 0) });

export default {
  auth: {
    read: false, // everyone
    write: { rule: true, where: (request) => isStaff(request) || own(request) }, // who is signed in, one's own posts
    // The rows that there are at all for whoever asks: on every path to them, includes and filters too.
    where: (request) => isStaff(request) || { OR: [{ isPublished: true }, own(request)] },
  },
  // The hook in post.middlewares.ts is about one post at a time.
  operations: { createMany: false },
  searchable: ["title", "content"],
} satisfies ModelConfig;
//: else
import type { ModelConfig } from "@servicekit/service";

/** The rows that there are: on every path to them, includes and filters too. */
const where = { isArchived: false };

export default {
  query: { findMany: { where, orderBy: { createdAt: "desc" } }, findOne: { where } },
  // The hook in post.middlewares.ts is about one post at a time.
  operations: { createMany: false },
  searchable: ["title", "content"],
} satisfies ModelConfig;
//: end
