import type { Model } from "@servicekit/prisma";
import type { CallerName } from "./callers.js";
import type { Values } from "./cases.js";
import { drawnModels } from "./fixtures.js";
import { type DrawnCall, pathOf, rowPath } from "./material.js";
import { keyFields, keyOf } from "./rows.js";
import type { Reply } from "./send.js";
import type { RunningCase } from "./start-case.js";

/**
 * Compares the rows in the response of a write with a read of each.
 *
 * @returns the first difference
 */
export async function findUnreadable(
  running: RunningCase,
  caller: CallerName,
  call: DrawnCall,
  reply: Reply,
): Promise<string | undefined> {
  const model = drawnModels(running.models).find((one) => call.target.match(/^\/[^/?]+/)?.[0] === pathOf(one));
  if (model === undefined) return undefined;
  for (const row of [reply.body?.data ?? []].flat() as readonly Values[]) {
    if (!hasKey(model, row)) continue;
    const target = rowPath(model, keyOf(model, row));
    const { status, body } = await running.send({ caller, method: "GET", target });
    const names = Object.keys(row).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(body?.data?.[name]));
    if (status !== 200 || names.length > 0)
      return `${JSON.stringify(row)}, but ${target} is ${status} ${JSON.stringify(body?.data)}`;
  }
  return undefined;
}

const hasKey = (model: Model, row: Values): boolean => keyFields(model).every(({ name }) => row[name] !== undefined);
