import { StartError, type StartFault } from "@servicekit/errors";

/** The faults of a start so far: whoever finds more adds them, and they are told all at once (contract C38). */
export interface FaultCollection {
  readonly all: readonly StartFault[];
  readonly isEmpty: boolean;
  add(faults: readonly StartFault[]): void;
  /** Runs a part of the start; `undefined` where it found faults. */
  during<Made>(part: () => Made | Promise<Made>): Promise<Made | undefined>;
  /** @throws {StartError} with all of them, when there are any */
  throwIfAny(): void;
  /** @throws {StartError} with all of them */
  throw(): never;
}

/** A collection that begins with what is known. */
export function collectFaults(known: readonly StartFault[]): FaultCollection {
  const all = [...known];
  const fail = (): never => {
    throw new StartError(all);
  };
  return {
    all,
    get isEmpty() {
      return all.length === 0;
    },
    add: (faults) => void all.push(...faults),
    during: async (part) => {
      try {
        return await part();
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        all.push(...error.faults);
        return undefined;
      }
    },
    throwIfAny: () => void (all.length > 0 && fail()),
    throw: fail,
  };
}
