import { Decimal } from "@prisma/client/runtime/client";

/** Creates a decimal as in Prisma's rows. */
export const makeDecimal = (text: string): unknown => new Decimal(text);
