import type { FailedJob, Queues } from "@servicekit/jobs";
import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import type { InspectedService, WithService } from "./inspected-service.js";
import { show } from "./show.js";

/** `service jobs`: the queues, and failed jobs. */
export function addJobs(program: Command, withService: WithService): void {
  const withDatabase: WithService = (work) => withService(work, { usesDatabase: true });
  const jobs = program.command("jobs").description("list the queues of jobs, and retry or delete failed jobs");
  addHelp(jobs.command("list", { isDefault: true }), { examples: ["service jobs", "service jobs list --json"] })
    .description("list the queues with the numbers of their jobs")
    .option("--json", "print JSON")
    .action(({ json = false }: { json?: boolean }) =>
      withDatabase(async (service) => {
        const counts = await queuesOf(service).counts();
        const rows = counts.map(({ name, ...states }) => [name, ...stateNames.map((state) => String(states[state]))]);
        return show(json, { heads: ["queue", ...stateNames], rows }, counts);
      }),
    );
  addHelp(jobs.command("failed <queue>"), { examples: ["service jobs failed welcome-mail"] })
    .description("list the jobs of a queue that have failed for good, the oldest first")
    .option("--limit <count>", "maximum number of jobs", "20")
    .option("--json", "print JSON")
    .action((queue: string, { limit, json = false }: { limit: string; json?: boolean }) =>
      withDatabase(async (service) => {
        const failed = await queueOf(service, queue).failed(queue, { limit: readLimit(limit) });
        return show(json, { heads: ["id", "failed at", "attempts", "error"], rows: failed.map(toRow) }, failed);
      }),
    );
  addHelp(jobs.command("retry <queue> [ids...]"), {
    examples: ["service jobs retry welcome-mail", "service jobs retry welcome-mail 0b6cd2a1-…"],
  })
    .description("run failed jobs of a queue again: all of them, or those with the given ids")
    .action((queue: string, ids: readonly string[]) =>
      withDatabase(async (service) => {
        const count = await queueOf(service, queue).retryFailed(queue, ids.length === 0 ? undefined : readIds(ids));
        return { text: `${count} ${count === 1 ? "job runs" : "jobs run"} again.`, exitCode: exitCode(count, ids) };
      }),
    );
  addHelp(jobs.command("delete <queue> <ids...>"), { examples: ["service jobs delete welcome-mail 0b6cd2a1-…"] })
    .description("delete failed jobs of a queue")
    .action((queue: string, ids: readonly string[]) =>
      withDatabase(async (service) => {
        const queues = queueOf(service, queue);
        let count = 0;
        for (const id of readIds(ids)) if (await queues.deleteFailed(queue, id)) count++;
        return { text: `${count} ${count === 1 ? "job was" : "jobs were"} deleted.`, exitCode: exitCode(count, ids) };
      }),
    );
}

const stateNames = ["queued", "active", "retrying", "failed"] as const;

function queuesOf({ jobQueues }: InspectedService): Queues {
  if (jobQueues === undefined)
    throw commandError("service jobs", "The service has no jobs: src/jobs and the modules contain none.");
  return jobQueues;
}

function queueOf(service: InspectedService, name: string): Queues {
  const queues = queuesOf(service);
  if (!queues.names.includes(name))
    throw commandError("service jobs", `Unknown queue ${name}. Expected one of ${queues.names.join(", ")}.`);
  return queues;
}

const toRow = ({ id, failedAt, attempts, error }: FailedJob): readonly string[] => [
  id,
  failedAt.toISOString(),
  String(attempts),
  (error.split("\n")[0] ?? "").slice(0, 100),
];

function readIds(ids: readonly string[]): readonly string[] {
  const wrong = ids.find((id) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id));
  if (wrong !== undefined) throw commandError("service jobs", `${wrong} is not the id of a job.`);
  return ids;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw commandError("service jobs", "--limit must be a number from 1 to 1000.");
}

/** 1 if one of the given ids was not found. */
const exitCode = (count: number, ids: readonly string[]): number => (count < ids.length ? 1 : 0);
