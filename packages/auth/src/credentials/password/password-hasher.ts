import { availableParallelism } from "node:os";
import { makeFairQueue, type QueueLoad } from "@servicekit/core/internal";
import type { Bcrypt } from "./bcrypt.js";
import { loadNativeBcrypt } from "./native-bcrypt.js";
import { passwordErrors } from "./password-errors.js";
import type { WaitingClient } from "./waiting-client.js";
import { makeWorkerBcrypt } from "./worker-bcrypt.js";

/** The options of the password hasher. */
export interface PasswordHasherOptions {
  /** The cost of a bcrypt hash. @default 12 */
  readonly cost?: number;
  /** The hashing library. @default `@node-rs/bcrypt` if it is installed, otherwise bcryptjs in worker threads */
  readonly bcrypt?: Bcrypt;
  /** Maximum number of concurrent hashes. @default one less than the processors, from 1 to 4 */
  readonly running?: number;
  /** Maximum number of waiting passwords of all clients. @default 64 */
  readonly waiting?: number;
  /** Maximum number of waiting passwords of one client while others wait too. @default 2 */
  readonly waitingPerClient?: number;
}

/**
 * Hashes and checks passwords outside the event loop (contract C27). Clients alternate (contract C59): a single client
 * may use the complete queue, and loses places when others arrive. A password without a client counts as a client of
 * its own.
 */
export interface PasswordHasher {
  /** @throws {HttpError} 503 when too many wait */
  hash(password: string, client?: WaitingClient): Promise<string>;
  /**
   * Whether a password matches a hash. Without a hash, or with an invalid one, it takes as long as the most expensive
   * hash so far, and is false.
   *
   * @throws {HttpError} 503 if too many wait
   */
  verify(password: string, hash: string | null | undefined, client?: WaitingClient): Promise<boolean>;
  /** The number of running and waiting hashes. */
  load(): QueueLoad;
  /** Stops its threads. */
  close(): Promise<void>;
}

/** A more expensive hash is ignored: one of cost 19 takes a core for a minute. */
const highestCost = 18;

const hashForm = /^\$2[abxy]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z\d]{53}$/;

/** Creates the hasher of one service. Nothing is loaded or started before the first password. */
export function makePasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { cost = 12, bcrypt, waiting = 64, waitingPerClient = 2 } = options;
  const { running = Math.min(4, Math.max(1, availableParallelism() - 1)) } = options;
  const queue = makeFairQueue({
    running,
    waiting,
    waitingPerClient,
    reject: () => passwordErrors.TooManyPasswords(undefined, { headers: { "Retry-After": "5" } }),
  });
  // Hashes of other services, and of other times, may have cost more.
  let mostExpensive = cost;
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
      if (costOfStored !== undefined)
        mostExpensive = Math.max(mostExpensive, Math.min(Number(costOfStored), highestCost));
      const checked = stored ?? dummyHash(mostExpensive);
      const isRight = await work((library) => library.verify(password, checked), client);
      return stored !== undefined && isRight;
    },
    load: () => queue.load(),
    close: async () => {
      await (await loaded)?.close();
    },
  };
}

/** The format of a hash that matches no password; checking it costs as much as a real one. */
const dummyHash = (cost: number): string => `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;

async function loadBcrypt(): Promise<Bcrypt> {
  return (await loadNativeBcrypt()) ?? makeWorkerBcrypt();
}
