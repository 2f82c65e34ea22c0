import { availableParallelism } from "node:os";
import { authErrors } from "../errors.js";
import type { Bcrypt } from "./bcrypt.js";
import { loadNativeBcrypt } from "./native-bcrypt.js";
import { makeTaskQueue } from "./task-queue.js";
import { makeWorkerBcrypt } from "./worker-bcrypt.js";

/** How passwords are hashed. */
export interface PasswordHasherOptions {
  /** The cost of a bcrypt hash. @default 12 */
  readonly cost?: number;
  /** What hashes. @default `@node-rs/bcrypt` where it is installed, else bcryptjs in worker threads */
  readonly bcrypt?: Bcrypt;
  /** Passwords that are worked on at once. @default one less than the processors, from 1 to 4 */
  readonly running?: number;
  /** Passwords that wait. @default 64 */
  readonly waiting?: number;
}

/** Hashes passwords and checks them, away from the event loop (contract C27). */
export interface PasswordHasher {
  /** @throws {HttpError} 503 when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether a password is the one of a hash. Without a hash, or with a text that is none, it takes the same time and is
   * false.
   *
   * @throws {HttpError} 503 when too many wait
   */
  verify(password: string, hash: string | null | undefined): Promise<boolean>;
  /** Ends its threads. */
  close(): Promise<void>;
}

const hashForm = /^\$2[abxy]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z\d]{53}$/;

/** Makes the hasher of one service. Nothing is loaded or started before the first password. */
export function makePasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { cost = 12, bcrypt, waiting = 64 } = options;
  const { running = Math.min(4, Math.max(1, availableParallelism() - 1)) } = options;
  const queue = makeTaskQueue({ running, waiting });
  // The form of a hash that no password has: checking one costs as much as checking a real one.
  const nobodysHash = `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;
  let loaded: Promise<Bcrypt> | undefined;

  const work = async <Result>(task: (library: Bcrypt) => Promise<Result>): Promise<Result> => {
    loaded ??= bcrypt === undefined ? loadBcrypt() : Promise.resolve(bcrypt);
    const library = await loaded;
    const turn = queue.run(() => task(library));
    if (turn === undefined) throw authErrors.TooManyPasswords(undefined, { headers: { "Retry-After": "5" } });
    return turn;
  };

  return {
    hash: (password) => work((library) => library.hash(password, cost)),
    verify: async (password, hash) => {
      const isHash = typeof hash === "string" && hashForm.test(hash);
      const isRight = await work((library) => library.verify(password, isHash ? hash : nobodysHash));
      return isHash && isRight;
    },
    close: async () => {
      await (await loaded)?.close();
    },
  };
}

async function loadBcrypt(): Promise<Bcrypt> {
  return (await loadNativeBcrypt()) ?? makeWorkerBcrypt();
}
