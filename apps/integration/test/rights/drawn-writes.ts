import type { Models } from "@servicekit/prisma";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import type { Workshop } from "./workshop.js";
import { type WriteCase, writeCases } from "./write-cases.js";

/**
 * Draws writes of all kinds and callers; most are of the superuser, so that they succeed. None ends the session of a
 * caller.
 */
export function* drawWrites(draw: Draw, models: Models): Generator<WriteCase, never> {
  const all = [...writeCases(models)].filter((one) => !endsSession(one));
  const ofSuperuser = all.filter(({ caller }) => caller === "root");
  const plain = ofSuperuser.filter(({ kind }) => !kind.includes(" through "));
  for (;;) yield draw.pick(draw.pick([all, ofSuperuser, plain, plain]));
}

function endsSession({ model, method, body, kind }: WriteCase): boolean {
  const text = JSON.stringify(body) ?? "";
  const deletes = method === "DELETE" || text.includes("$delete");
  return /"(password|username)"/.test(text) || (deletes && (model === "User" || /user|owner|assignee/i.test(kind)));
}

/**
 * Sends writes until so many have succeeded.
 *
 * @param isOmitted the writes that are not sent
 * @returns the number of sent requests
 */
export async function sendWrites(
  workshop: Workshop,
  draw: Draw,
  accepted: number,
  isOmitted: (one: WriteCase) => boolean = () => false,
): Promise<number> {
  let done = 0;
  let sent = 0;
  for (const one of drawWrites(draw, workshop.models)) {
    if (isOmitted(one)) continue;
    const { caller, method, target, body } = one;
    const { status, text } = await workshop.as(caller, method, target, body);
    sent++;
    if (status >= 500) throw new Error(`${caller} ${method} ${target} ${JSON.stringify(body)}: ${text}`);
    if (status < 300) done++;
    if (done === accepted || sent > 50 * accepted) break;
  }
  return sent;
}
