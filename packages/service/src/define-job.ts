import { type Job, type JobAttempt, type JobDefinition, toJob } from "@servicekit/jobs/settings";
import type { PrismaClientLike } from "@servicekit/prisma";
import type { z } from "zod";
import type { ServiceContext } from "./service-context.js";

/**
 * The context of a job or of a subscriber. Annotate it with your Prisma client: `JobContext<PrismaClient>`.
 */
export interface JobContext<Client extends PrismaClientLike = PrismaClientLike>
  extends ServiceContext<Client>,
    JobAttempt {}

/**
 * Defines a job (contract C109). Export it as the default of `src/jobs/<name>.job.ts`, and send it with
 * `contextOf(request).jobs.send(job, payload)`.
 *
 * @example
 * export default defineJob({
 *   name: "welcome-mail",
 *   payload: z.object({ to: z.email() }),
 *   handler: async ({ to }, { mailer }) => mailer.send({ to, subject: "Welcome", text: "Hello!" }),
 * });
 */
export const defineJob = <Schema extends z.ZodType>(definition: JobDefinition<Schema, JobContext>): Job<Schema> =>
  toJob(definition);
