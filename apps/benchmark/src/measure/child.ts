import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** A child process that reports numbers on request. */
export interface Child {
  /** The first number that it reported: the port, for a server. */
  readonly ready: number;
  query(question: unknown): Promise<number>;
  end(): Promise<void>;
}

/**
 * Starts one of the programs in `processes`, or any by its absolute path.
 *
 * @throws {Error} if it exits before it is ready
 */
export async function startChild(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const file = path.resolve(import.meta.dirname, "..", "processes", program);
  const child = fork(file, args, {
    env: { ...process.env, NODE_ENV: "production", ...environment },
    // Logs are written and discarded.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = new Promise<never>((_resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${program} ${args.join(" ")} exited with ${code}.`)));
  });
  gone.catch(() => undefined);
  const next = async (): Promise<number> => {
    const [message] = await Promise.race([once(child, "message"), gone]);
    return message as number;
  };
  const ready = await next();
  return {
    ready,
    query: (question) => {
      const reported = next();
      child.send(question as never);
      return reported;
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

/** Runs the work with child processes and ends them all. */
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
