import type { CallerName } from "./callers.js";
import type { Setup } from "./cases.js";
import type { Violation } from "./check-cases.js";
import { addedReference, foreignReferences } from "./foreign-references.js";
import type { DrawnCall } from "./material.js";
import type { Reply } from "./send.js";
import type { RunningCase } from "./start-case.js";
import { findUnreadable } from "./written-rows.js";

/** Starts before a write. @returns what checks its response and the rows after it */
export async function watchWrite(running: RunningCase, setup: Setup, caller: CallerName, call: DrawnCall) {
  const references = await foreignReferences(running, setup, caller);
  return async (reply: Reply): Promise<Violation | undefined> => {
    const unreadable = await findUnreadable(running, caller, call, reply);
    if (unreadable !== undefined) return { kind: "response", detail: `returns ${unreadable}` };
    const reference = addedReference(references, await foreignReferences(running, setup, caller));
    if (reference === undefined) return undefined;
    return { kind: "reference to another tenant", detail: `adds ${reference}` };
  };
}
