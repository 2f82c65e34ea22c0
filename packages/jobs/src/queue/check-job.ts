import { isPlainText } from "@servicekit/prisma/internal";
import type { JobToSend } from "../queues.js";

const names = ["data", "id", "key", "startAfter", "target"];
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Indexes of PostgreSQL contain at most 2.7 kB of a row. */
const maxKeyBytes = 2_000;

/**
 * Checks the options of a job before they reach the database.
 *
 * @throws {TypeError} that names the option
 */
export function checkJob(queue: string, job: JobToSend): void {
  const { id, key, startAfter } = job;
  const reject = (option: string, expected: string): never => {
    throw new TypeError(`The option ${option} of the job ${queue} is invalid: ${expected}`);
  };
  for (const name of Object.keys(job)) if (!names.includes(name)) reject(name, "it does not exist.");
  if (id !== undefined && (typeof id !== "string" || !uuid.test(id))) reject("id", "expected a UUID.");
  if (key !== undefined && (typeof key !== "string" || !isPlainText(key)))
    reject("key", "expected a text without U+0000 and unpaired surrogates.");
  if (key !== undefined && Buffer.byteLength(key) > maxKeyBytes)
    reject("key", `expected at most ${maxKeyBytes} bytes.`);
  if (startAfter !== undefined && !(startAfter instanceof Date && hasYear(startAfter)))
    reject("startAfter", "expected a valid Date of the years 1 to 9999.");
}

const hasYear = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
