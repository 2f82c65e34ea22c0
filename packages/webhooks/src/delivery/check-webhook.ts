import type { ValidationIssue } from "@servicekit/core";
import { maxErrors, nearestWord } from "@servicekit/core/internal";
import type { Sender } from "../sender.js";

/** The events and the URL rules of a service. */
export interface WebhookRules {
  readonly sender: Pick<Sender, "urlIssue">;
  /** The names of all events. */
  readonly events: readonly string[];
}

/** Returns the issues of an endpoint, each with a JSON pointer. Values of other types are ignored. */
export function webhookIssues(
  { url, events }: { readonly url?: unknown; readonly events?: unknown },
  rules: WebhookRules,
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const add = (path: string, message: string): void =>
    void issues.push({ in: "body", path, code: "InvalidValue", message });
  const urlIssue = typeof url === "string" ? rules.sender.urlIssue(url) : undefined;
  if (urlIssue !== undefined) add("/url", urlIssue);
  if (!Array.isArray(events)) return issues;
  if (events.length === 0) add("/events", `Expected at least one event, such as ${rules.events[0]}.`);
  for (const [index, event] of events.entries()) {
    if (typeof event !== "string" || rules.events.includes(event)) continue;
    if (issues.length >= maxErrors) break;
    const near = nearestWord(event, rules.events);
    const hint = near === undefined ? `Expected one of ${rules.events.join(", ")}.` : `Did you mean ${near}?`;
    add(`/events/${index}`, `Unknown event ${JSON.stringify(event)}. ${hint}`);
  }
  return issues;
}
