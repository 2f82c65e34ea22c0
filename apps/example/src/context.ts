import service from "@servicekit/service";
import type { PrismaClient } from "./generated/prisma/client.js";

/** The context of the shop's own handlers: its database client, the logger and the mailer. */
export const contextOf = service.context<PrismaClient>();
