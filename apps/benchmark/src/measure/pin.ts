import { execFileSync } from "node:child_process";
import os from "node:os";

/** Lets a process, with all its threads and whatever it starts later, run on one processor alone (Linux). */
export const pinTo = (processor: number, pid = process.pid): void => taskset(String(processor), pid);

/** Lets it run on any again. */
export const unpin = (pid = process.pid): void => taskset(`0-${os.cpus().length - 1}`, pid);

const taskset = (processors: string, pid: number): void =>
  void execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", processors, String(pid)], { stdio: "ignore" });
