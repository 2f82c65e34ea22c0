import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { defaultExport, importModule } from "@servicekit/config-loader/internal";
import { StartupError } from "@servicekit/core";
import type { IssueList } from "@servicekit/core/internal";
import { findIssues } from "@servicekit/core/schema";
import { isJob, type Job, jobSchema } from "@servicekit/jobs/settings";
import type { ServiceSettings } from "../config/settings.js";
import { purgeQueue } from "./cache-purge.js";
import { findMisplacedJobs, jobFile } from "./misplaced-jobs.js";
import { webhookQueue } from "./open-webhooks.js";

/** The queues of the service itself, also where it does not use them yet. */
const reserved: ReadonlySet<string> = new Set([webhookQueue, purgeQueue]);

/**
 * Loads the jobs of a service: the default exports of `jobs/<name>.job.ts`, next to the folder of modules.
 *
 * @param issues receives the files without a job, files that are not read, and jobs with another name than their file
 */
export async function loadJobs(
  { modulesDirectory, root }: Pick<ServiceSettings, "modulesDirectory" | "root">,
  issues: IssueList,
): Promise<readonly Job[]> {
  const folder = path.join(path.dirname(modulesDirectory.path), "jobs");
  await findMisplacedJobs(folder, root, issues);
  if (!existsSync(folder)) return [];
  const jobs: Job[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const [, name] = jobFile.exec(file) ?? [];
    if (name === undefined) continue;
    const where = path.relative(root, path.join(folder, file));
    try {
      const job = defaultExport(await importModule(path.join(folder, file)));
      if (!isJob(job)) issues.add(where, "The default export must be a job: export default defineJob({ … }).");
      else if (job.name !== name)
        issues.add(where, `The job is named ${JSON.stringify(job.name)}. Rename it to "${name}", or the file.`);
      else if (reserved.has(name))
        issues.add(where, `The name "${name}" is that of a queue of the service. Rename the job and its file.`);
      else {
        issues.addAll(findIssues({ ...job }, jobSchema, where));
        jobs.push(job);
      }
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      for (const { message } of error.issues) issues.add(where, message);
    }
  }
  return jobs;
}
