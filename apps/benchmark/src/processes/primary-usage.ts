import cluster from "node:cluster";
import fs from "node:fs";
import { reportUsage, serveParent } from "./parent-channel.js";

/**
 * In the primary, replies to the parent with the CPU time of all workers as soon as all of them listen. In a worker it does
 * nothing.
 */
export function reportFromPrimary(workers: number): void {
  let listening = 0;
  cluster.on("listening", (_worker, { port }) => {
    listening++;
    if (listening === workers)
      serveParent(port, (question) => (question === "cpu" ? cpuOfAll() : reportUsage(question)));
  });
}

/** CPU microseconds of this process and its workers, in all their threads, as Linux counts them. */
function cpuOfAll(): number {
  const pids = Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
  return [process.pid, ...pids].reduce((sum, pid) => sum + cpuOf(pid), 0);
}

function cpuOf(pid: number): number {
  const threads = fs.readdirSync(`/proc/${pid}/task`);
  const nanoseconds = (thread: string): number =>
    Number(fs.readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return threads.reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1000;
}
