import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { packageFolder } from "../package-folder.js";
import { hasColours } from "../terminal/paint.js";
import type { Go } from "./run-app.js";

/** The values that a service logs when it listens. */
export interface Listening {
  readonly url: string;
  readonly models: number;
  readonly routes: number;
  readonly documentation: string;
  /** The address of the studio, or "off". */
  readonly studio: string;
  readonly authentication: string;
}

/** The callbacks of a started application. */
export interface AppEvents {
  readonly onListening: (listening: Listening) => void;
  /** Its output, unchanged. */
  readonly onOutput: (text: string) => void;
  /** It exited unexpectedly. */
  readonly onEnd: (code: number | null) => void;
}

/** A running application. */
export interface AppProcess {
  /** Stops it and waits briefly for running requests. */
  stop(): Promise<void>;
}

const runner = path.join(packageFolder, "dist", "dev", "run-app.js");

/** How long a running request may delay a restart, in milliseconds. */
const patience = 300;

/** The program to start. */
export interface AppTarget {
  readonly entry: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts an application repeatedly. */
export interface AppStarter {
  /** Loads what the next start needs in any case. */
  prepare(): void;
  start(target: AppTarget, events: AppEvents): AppProcess;
  close(): Promise<void>;
}

/** Starts the application of a folder from its sources. */
export function makeAppStarter(root: string): AppStarter {
  let spare: ChildProcess | undefined;
  const spawnRunner = (): ChildProcess =>
    spawn(process.execPath, [runner, root], {
      cwd: root,
      env: { ...process.env, ...forDevelopment() },
      // A separate session: Ctrl+C reaches only this program, which stops the other.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
  return {
    prepare() {
      spare ??= spawnRunner();
    },
    start({ entry, args, environment }, events) {
      const child = spare?.connected === true ? spare : spawnRunner();
      spare = undefined;
      const go: Go = { entry, args, environment: { ...environment, ...forDevelopment() } };
      child.send(go, () => {});
      return watchApp(child, events);
    },
    async close() {
      const child = spare;
      spare = undefined;
      if (child === undefined || child.exitCode !== null) return;
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGKILL");
      await closed;
    },
  };
}

const forDevelopment = (): Readonly<Record<string, string>> => ({
  SERVICEKIT_DEV: "1",
  ...(hasColours(process.stdout) ? { FORCE_COLOR: "1" } : {}),
});

function watchApp(child: ChildProcess, { onListening, onOutput, onEnd }: AppEvents): AppProcess {
  let isStopped = false;
  child.on("message", (message: { readonly servicekit?: unknown } & Listening) => {
    if (message.servicekit === "listening" && !isStopped) onListening(message);
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      if (!isStopped) onOutput(text);
    });
  }
  const closed = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    // After its streams have ended, so that its output is complete.
    child.once("close", (code) => {
      if (!isStopped) onEnd(code);
      resolve();
    });
  });
  return {
    stop: async () => {
      isStopped = true;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), patience);
      await closed;
      clearTimeout(timer);
    },
  };
}
