import service from "@servicekit/service";
import type { PrismaClient } from "./generated/prisma/client.js";

/** The dependencies of handlers: the typed Prisma client, the logger, the mailer. */
export const contextOf = service.context<PrismaClient>();
