import { callerOf, type ModelConfig, type Request } from "@servicekit/service";

const isStaff = (request: Request) => callerOf(request)?.roles.includes("STAFF") === true;
const own = (request: Request) => ({ ownerId: Number(callerOf(request)?.id ?? 0) });

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
