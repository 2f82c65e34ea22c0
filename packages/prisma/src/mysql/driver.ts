import type { PrismaMariaDb } from "@prisma/adapter-mariadb";

/** The pool of the driver that Prisma's adapter uses. */
export type Pool = ReturnType<Awaited<ReturnType<PrismaMariaDb["connect"]>>["underlyingDriver"]>;

/** A connection of the pool. */
export type Connection = Awaited<ReturnType<Pool["getConnection"]>>;
