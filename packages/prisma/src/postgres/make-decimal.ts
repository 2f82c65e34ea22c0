import { Decimal } from "@prisma/client/runtime/client";

/** Makes a decimal number as Prisma's rows hold it. */
export const makeDecimal = (text: string): unknown => new Decimal(text);
