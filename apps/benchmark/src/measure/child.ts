import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** A process of its own that answers questions. */
export interface Child {
  /** What it said when it was ready: the port, for one that listens. */
  readonly ready: number;
  ask(question: unknown): Promise<number>;
  end(): Promise<void>;
}

/**
 * Starts one of the programs in `processes`, or any by its whole path.
 *
 * @throws {Error} when it ends before it is ready
 */
export async function startChild(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const file = path.resolve(import.meta.dirname, "..", "processes", program);
  const child = fork(file, args, {
    env: { ...process.env, NODE_ENV: "production", ...environment },
    // Logs are written, and read by nobody.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = new Promise<never>((_resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${program} ${args.join(" ")} ended with ${code}.`)));
  });
  gone.catch(() => undefined);
  const answer = async (): Promise<number> => {
    const [message] = await Promise.race([once(child, "message"), gone]);
    return message as number;
  };
  const ready = await answer();
  return {
    ready,
    ask: (question) => {
      const answered = answer();
      child.send(question as never);
      return answered;
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

/** Does something with children and ends them all. */
export async function withChildren<T>(
  starts: readonly Promise<Child>[],
  work: (children: Child[]) => Promise<T>,
): Promise<T> {
  const started = await Promise.allSettled(starts);
  const children = started.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  try {
    return await work(await Promise.all(starts));
  } finally {
    await Promise.all(children.map((child) => child.end()));
  }
}
