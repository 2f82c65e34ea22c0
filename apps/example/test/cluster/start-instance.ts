import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";

/** Starts a program of `processes` in a separate process, and waits until it reports its address. */
export async function startInstance(program: string, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "../processes", program)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`exit ${code}`)));
    child.stdout?.on("data", (chunk) => String(chunk).includes("listening http") && resolve());
  });
  return child;
}
