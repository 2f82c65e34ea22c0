import service from "@servicekit/service";
import type { PrismaClient } from "./generated/prisma/client.js";

/** What a handler works with besides its request: the typed Prisma client, the logger, the mailer. */
export const contextOf = service.context<PrismaClient>();
