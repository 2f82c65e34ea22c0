import service from "@servicekit/service";
import type { PrismaClient } from "./generated/prisma/client.js";

/** What the shop's own handlers work with: its database client, the logger and the mailer. */
export const contextOf = service.context<PrismaClient>();
