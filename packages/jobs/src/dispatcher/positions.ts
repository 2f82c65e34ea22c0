import type { Database, Model } from "@servicekit/prisma";

/** How far a consumer is behind. */
export interface ConsumerLag {
  /** The name of the consumer. */
  readonly consumer: string;
  /** The number of changes that are committed and not handed over. */
  readonly changes: number;
  /** The age of the oldest of them in seconds; 0 without any. */
  readonly seconds: number;
}

/** How far a consumer has read the log. */
export interface Position {
  readonly name: string;
  readonly lastId: bigint;
}

/** The place of a change in the log. */
export interface ChangePlace {
  readonly id: bigint;
  readonly model: string;
  readonly key: string;
}

/** The stored positions of consumers. */
export interface Positions {
  read(names: readonly string[]): Promise<readonly Position[]>;
  /** Creates missing ones: they start behind the last change. */
  create(names: readonly string[]): Promise<void>;
  /** Moves those that are still at a change. @returns their number */
  move(inside: Database, names: readonly string[], from: bigint, to: bigint): Promise<number>;
  /** Finds the next change without its states, which may be the reason why it cannot be read. */
  next(after: bigint): Promise<ChangePlace | undefined>;
  lag(names: readonly string[]): Promise<readonly ConsumerLag[]>;
}

export function makePositions({
  database,
  positions,
  changes,
}: {
  readonly database: Database;
  readonly positions: Model;
  readonly changes: Model;
}): Positions {
  const read: Positions["read"] = async (names) => {
    const where = { name: { in: [...names] } };
    const rows = await database.of(positions).findMany({ where, select: { name: true, lastId: true } });
    return rows as unknown as readonly Position[];
  };
  const countAfter = async (lastId: bigint): Promise<Omit<ConsumerLag, "consumer">> => {
    const where = { id: { gt: lastId } };
    const [oldest] = await database
      .of(changes)
      .findMany({ where, orderBy: [{ id: "asc" }], take: 1, select: { time: true } });
    if (oldest === undefined) return { changes: 0, seconds: 0 };
    const seconds = Math.max(0, (Date.now() - Number(new Date(oldest.time as Date))) / 1_000);
    return { changes: await database.of(changes).count({ where }), seconds };
  };
  return {
    read,
    async create(names) {
      const existing = new Set((await read(names)).map(({ name }) => name));
      const missing = names.filter((name) => !existing.has(name));
      if (missing.length === 0) return;
      const [last] = await database.of(changes).findMany({ orderBy: [{ id: "desc" }], take: 1, select: { id: true } });
      for (const name of missing) {
        await database
          .of(positions)
          .create({ data: { name, lastId: last?.id ?? 0n }, select: { name: true } })
          // Another process was faster.
          .catch(async (error: unknown) => {
            if ((await read([name])).length === 0) throw error;
          });
      }
    },
    async move(inside, names, from, to) {
      const where = { name: { in: [...names] }, lastId: from };
      const moved = await inside.of(positions).updateMany({ where, data: { lastId: to }, select: { name: true } });
      return moved.length;
    },
    async next(after) {
      const [row] = await database.of(changes).findMany({
        where: { id: { gt: after } },
        orderBy: [{ id: "asc" }],
        take: 1,
        select: { id: true, model: true, key: true },
      });
      return row as unknown as ChangePlace | undefined;
    },
    async lag(names) {
      const rows = await read(names);
      const counts = new Map<bigint, Omit<ConsumerLag, "consumer">>();
      for (const lastId of new Set(rows.map((row) => row.lastId))) counts.set(lastId, await countAfter(lastId));
      return rows.map(({ name: consumer, lastId }) => ({ consumer, changes: 0, seconds: 0, ...counts.get(lastId) }));
    },
  };
}
