//: if accounts
import { callerOf, type ModelConfig, userIdOf } from "@servicekit/service";

export default {
  auth: {
    read: false, // everyone
    createOne: true, // signed-in users
//: if static
    write: ["STAFF"],
//: end
    // A comment is as visible as its post.
    where: (request) =>
      callerOf(request)?.roles.includes("{{staff}}") === true || {
        post: { OR: [{ isPublished: true }, { ownerId: Number(userIdOf(request) ?? 0) }] },
      },
  },
  operations: { createMany: false },
} satisfies ModelConfig;
//: else
import type { ModelConfig } from "@servicekit/service";

/** A comment is as visible as its post. */
const where = { post: { isArchived: false } };

export default {
  query: { findMany: { where, orderBy: { createdAt: "desc" } }, findOne: { where } },
} satisfies ModelConfig;
//: end
