import { Session } from "node:inspector/promises";

/** A function of a file that was called. */
export interface CalledFunction {
  readonly file: string;
  /** Empty for a function without a name. */
  readonly name: string;
}

/** Counts the calls of functions in this process and in worker threads that start later. */
export interface CallWatch {
  /** The functions that were called since the last call of this method. The code of a file itself, which runs on import, is none. */
  take(): Promise<readonly CalledFunction[]>;
  close(): void;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** Starts the precise coverage of V8, by function. */
export async function watchCalls(): Promise<CallWatch> {
  const session = new Session();
  session.connect();
  const workers = new Set<string>();
  const pending = new Map<number, (result: readonly ScriptCoverage[]) => void>();
  let lastId = 0;
  const settings = { callCount: true, detailed: false };

  const send = (sessionId: string, method: string, params = {}): Promise<readonly ScriptCoverage[]> => {
    const id = ++lastId;
    const message = JSON.stringify({ id, method, params });
    const responded = new Promise<readonly ScriptCoverage[]>((resolve) => pending.set(id, resolve));
    session.post("NodeWorker.sendMessageToWorker", { message, sessionId }).catch(() => undefined);
    return responded;
  };
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId } }) => {
    workers.add(sessionId);
    void send(sessionId, "Profiler.enable");
    void send(sessionId, "Profiler.startPreciseCoverage", settings);
    void send(sessionId, "Runtime.runIfWaitingForDebugger");
  });
  session.on("NodeWorker.detachedFromWorker", ({ params: { sessionId } }) => workers.delete(sessionId));
  session.on("NodeWorker.receivedMessageFromWorker", ({ params: { message } }) => {
    const { id, result } = JSON.parse(message) as { id?: number; result?: { result?: readonly ScriptCoverage[] } };
    if (id !== undefined) pending.get(id)?.(result?.result ?? []);
  });

  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", settings);
  await session.post("NodeWorker.enable", { waitForDebuggerOnStart: true });
  return {
    async take() {
      const { result } = await session.post("Profiler.takePreciseCoverage");
      const ofWorkers = await Promise.all([...workers].map((id) => send(id, "Profiler.takePreciseCoverage")));
      return [...result, ...ofWorkers.flat()].flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
          .map(({ functionName }) => ({ file: url.replace(/^file:\/\//, ""), name: functionName })),
      );
    },
    close: () => session.disconnect(),
  };
}
