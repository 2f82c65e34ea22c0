import type { FailedJob, Queues } from "@servicekit/jobs";
import { beforeEach, describe, expect, it } from "vitest";
import type { CommandResult, InspectedService, WithService } from "../src/commands/inspected-service.js";
import { addJobs } from "../src/commands/jobs.js";
import { makeProgram } from "../src/program.js";

const ids = ["0b6cd2a1-0000-4000-8000-000000000001", "0b6cd2a1-0000-4000-8000-000000000002"];
let failed: FailedJob[];
beforeEach(() => {
  failed = ids.map((id) => ({
    ...{ id, jobId: id, queue: "mail", key: undefined, data: { to: "ann" }, attempts: 6 },
    ...{ error: `no server\n${"x".repeat(200)}`, createdAt: new Date(0), failedAt: new Date(1_000) },
  }));
});

const take = (wanted: readonly string[] | undefined): number => {
  const before = failed.length;
  failed = failed.filter(({ id }) => wanted !== undefined && !wanted.includes(id));
  return before - failed.length;
};
const jobQueues = {
  names: ["mail", "orders.events"],
  counts: async () => [
    { name: "mail", queued: 3, active: 1, retrying: 2, failed: failed.length },
    { name: "orders.events", queued: 0, active: 0, retrying: 0, failed: 0 },
  ],
  failed: async (_queue: string, { limit }: { limit: number }) => failed.slice(0, limit),
  retryFailed: async (_queue: string, wanted?: readonly string[]) => take(wanted),
  deleteFailed: async (_queue: string, id: string) => take([id]) === 1,
} as unknown as Queues;

async function run(args: readonly string[], service: object = { jobQueues }): Promise<CommandResult> {
  const program = makeProgram();
  let result: CommandResult = { text: "nothing ran" };
  const withService: WithService = async (work) => {
    result = await work(service as InspectedService);
  };
  addJobs(program, withService);
  await program.parseAsync(["jobs", ...args], { from: "user" });
  return result;
}

describe("service jobs", () => {
  it("C109 prints the queues with the numbers of their jobs", async () => {
    expect((await run([])).text).toBe(
      [
        "queue          queued  active  retrying  failed",
        "─────────────  ──────  ──────  ────────  ──────",
        "mail           3       1       2         2",
        "orders.events  0       0       0         0",
      ].join("\n"),
    );
    expect(JSON.parse((await run(["list", "--json"])).text)).toHaveLength(2);
  });

  it("C109 prints failed jobs with the first line of their errors", async () => {
    const { text } = await run(["failed", "mail", "--limit", "1"]);
    expect(text.split("\n").slice(2)).toEqual([`${ids[0]}  1970-01-01T00:00:01.000Z  6         no server`]);
    expect(JSON.parse((await run(["failed", "mail", "--json"])).text)).toMatchObject([{ data: { to: "ann" } }, {}]);
  });

  it("C109 repeats all failed jobs of a queue, or some", async () => {
    expect(await run(["retry", "mail", ids[0] as string])).toEqual({ text: "1 job runs again.", exitCode: 0 });
    expect(await run(["retry", "mail", ids[0] as string])).toEqual({ text: "0 jobs run again.", exitCode: 1 });
    expect(await run(["retry", "mail"])).toEqual({ text: "1 job runs again.", exitCode: 0 });
  });

  it("C109 deletes failed jobs", async () => {
    expect(await run(["delete", "mail", ...ids])).toEqual({ text: "2 jobs were deleted.", exitCode: 0 });
    expect(await run(["delete", "mail", ids[1] as string])).toEqual({ text: "0 jobs were deleted.", exitCode: 1 });
  });

  it("C109 rejects unknown queues, invalid ids and limits, and services without jobs", async () => {
    await expect(run(["failed", "male"])).rejects.toThrow("Unknown queue male. Expected one of mail, orders.events.");
    await expect(run(["retry", "mail", "7"])).rejects.toThrow("7 is not the id of a job.");
    await expect(run(["failed", "mail", "--limit", "0"])).rejects.toThrow("--limit must be a number from 1 to 1000.");
    await expect(run([], {})).rejects.toThrow("The service has no jobs");
  });
});
