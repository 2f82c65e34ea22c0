import { availableParallelism } from "node:os";
import { makeFairQueue, type QueueLoad } from "@servicekit/core/internal";
import type { Bcrypt } from "./bcrypt.js";
import { loadNativeBcrypt } from "./native-bcrypt.js";
import { passwordErrors } from "./password-errors.js";
import type { WaitingClient } from "./waiting-client.js";
import { makeWorkerBcrypt } from "./worker-bcrypt.js";

/** How passwords are hashed. */
export interface PasswordHasherOptions {
  /** The cost of a bcrypt hash. @default 12 */
  readonly cost?: number;
  /** What hashes. @default `@node-rs/bcrypt` where it is installed, else bcryptjs in worker threads */
  readonly bcrypt?: Bcrypt;
  /** Passwords that are worked on at once. @default one less than the processors, from 1 to 4 */
  readonly running?: number;
  /** Passwords that wait, of all clients together. @default 64 */
  readonly waiting?: number;
  /** Passwords of one client that wait while those of others wait too. @default 2 */
  readonly waitingPerClient?: number;
}

/**
 * Hashes passwords and checks them, away from the event loop (contract C27). Clients take turns (contract C59): alone, one
 * may use the whole queue, and gives way when others come. A password that is given without a client is a client of its own.
 */
export interface PasswordHasher {
  /** @throws {HttpError} 503 when too many wait */
  hash(password: string, client?: WaitingClient): Promise<string>;
  /**
   * Whether a password is the one of a hash. Without a hash, or with a text that is none, it takes as long as with the
   * dearest hash that was seen, and is false.
   *
   * @throws {HttpError} 503 when too many wait
   */
  verify(password: string, hash: string | null | undefined, client?: WaitingClient): Promise<boolean>;
  /** How many passwords are in work and wait. */
  load(): QueueLoad;
  /** Ends its threads. */
  close(): Promise<void>;
}

/** A hash that costs more is no measure: one of 19 takes a core for a minute. */
const dearestCost = 18;

const hashForm = /^\$2[abxy]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z\d]{53}$/;

/** Makes the hasher of one service. Nothing is loaded or started before the first password. */
export function makePasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { cost = 12, bcrypt, waiting = 64, waitingPerClient = 2 } = options;
  const { running = Math.min(4, Math.max(1, availableParallelism() - 1)) } = options;
  const queue = makeFairQueue({
    running,
    waiting,
    waitingPerClient,
    refuse: () => passwordErrors.TooManyPasswords(undefined, { headers: { "Retry-After": "5" } }),
  });
  // Hashes of other services, and of other times, may have cost more.
  let dearest = cost;
  let unnamed = 0;
  let loaded: Promise<Bcrypt> | undefined;

  const work = async <Result>(task: (library: Bcrypt) => Promise<Result>, client?: WaitingClient): Promise<Result> => {
    loaded ??= bcrypt === undefined ? loadBcrypt() : Promise.resolve(bcrypt);
    const library = await loaded;
    return queue.run(client?.address ?? `unnamed ${unnamed++}`, () => task(library), client?.signal);
  };

  return {
    hash: (password, client) => work((library) => library.hash(password, cost), client),
    verify: async (password, hash, client) => {
      const [stored, costOfStored] = hashForm.exec(hash ?? "") ?? [];
      if (costOfStored !== undefined) dearest = Math.max(dearest, Math.min(Number(costOfStored), dearestCost));
      const checked = stored ?? nobodysHash(dearest);
      const isRight = await work((library) => library.verify(password, checked), client);
      return stored !== undefined && isRight;
    },
    load: () => queue.load(),
    close: async () => {
      await (await loaded)?.close();
    },
  };
}

/** The form of a hash that no password has: checking one costs as much as checking a real one. */
const nobodysHash = (cost: number): string => `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;

async function loadBcrypt(): Promise<Bcrypt> {
  return (await loadNativeBcrypt()) ?? makeWorkerBcrypt();
}
