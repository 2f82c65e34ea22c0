import fs from "node:fs";
import path from "node:path";
import { commandError } from "../command-error.js";
import type { Project } from "../project/project.js";
import { umbrella } from "./scaffold-module.js";

/**
 * Creates a job and its test.
 *
 * @param name in kebab-case
 * @returns the written files, absolute paths
 * @throws {CommandError} for an invalid name, and if the job exists
 */
export function scaffoldJob({ root }: Pick<Project, "root">, name: string): readonly string[] {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw commandError(
      "service generate",
      `Expected the name of a job in kebab-case, such as welcome-mail, not ${name}.`,
    );
  const file = path.join(root, "src", "jobs", `${name}.job.ts`);
  if (fs.existsSync(file)) throw commandError("service generate", `${path.relative(root, file)} already exists.`);
  const test = path.join(root, "test", `${name}.job.test.ts`);
  const missing = [
    [file, jobText(name)],
    [test, testText(name)],
  ].filter(([one = ""]) => !fs.existsSync(one)) as [string, string][];
  for (const [one, text] of missing) {
    fs.mkdirSync(path.dirname(one), { recursive: true });
    fs.writeFileSync(one, text, { flag: "wx" });
  }
  return missing.map(([one]) => one);
}

const jobText = (name: string): string => `import { defineJob } from "${umbrella}";
import { z } from "zod";

/** Send it with \`contextOf(request).jobs.send(job, payload)\`. It may run more than once for one payload. */
export default defineJob({
  name: "${name}",
  payload: z.strictObject({ id: z.int() }),
  // schedule: { cron: "0 3 * * *", timeZone: "Europe/Berlin", payload: { id: 1 } },
  // concurrency: 1, ordered: false, timeoutSeconds: 900, retries: { limit: 5 },
  handler: async ({ id }, { logger }) => {
    logger.info({ id }, "ran");
  },
});
`;

const testText = (name: string): string => `import { expect, it, vi } from "vitest";
import job from "../src/jobs/${name}.job.js";

it("${name} accepts only a valid payload", () => {
  expect(job.payload.safeParse({ id: 1 }).success).toBe(true);
  expect(job.payload.safeParse({ id: "1" }).success).toBe(false);
});

it("${name} runs", async () => {
  const info = vi.fn();
  // Only what the handler uses: the context of a service has more.
  await job.handler({ id: 1 }, { logger: { info } } as never);
  expect(info).toHaveBeenCalledWith({ id: 1 }, "ran");
});
`;
