import { vi } from "vitest";

/** Only for tests that fail: a busy machine never reaches it. */
export const patience = 120_000;

/** A received event. */
export interface ReceivedEvent {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into data of every shape
  readonly data: any;
}

/** An open stream of events. */
export interface EventReader {
  readonly status: number;
  readonly headers: Headers;
  /** The body of a response without events. */
  readonly problem: { readonly code?: string; readonly detail?: string; readonly errors?: readonly unknown[] };
  /** All events so far, without `ready`. */
  readonly events: readonly ReceivedEvent[];
  /** Everything that was received. */
  text(): string;
  /** The last id, of an event or without one. */
  lastId(): string;
  /** Waits for an id after the last event, and returns it. */
  positionId(): Promise<string>;
  hasEnded(): boolean;
  /** Waits for a number of events, and returns them in the form `event data`. */
  take(count: number): Promise<readonly (readonly [string, unknown])[]>;
  close(): void;
}

/** Opens a stream of events, and waits until it is live. */
export async function readEvents(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const ending = new AbortController();
  const response = await fetch(url, { headers, signal: ending.signal });
  const events: ReceivedEvent[] = [];
  let text = "";
  let rest = "";
  let lastId = "";
  let isPositionLast = false;
  let isReady = false;
  let hasEnded = false;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const take = (block: string): void => {
    const lines = block.split("\n");
    const lineOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const id = lineOf("id");
    lastId = id ?? lastId;
    if (id !== undefined || lineOf("event") !== undefined) isPositionLast = id !== undefined;
    isReady ||= lineOf("retry") !== undefined && "last-event-id" in headers;
    const event = lineOf("event");
    if (event === "ready") isReady = true;
    else if (event !== undefined) {
      isReady = true;
      events.push({ event, id, data: JSON.parse(lineOf("data") ?? "null") });
    }
  };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const part = decoder.decode(chunk as Uint8Array, { stream: true });
      text += part;
      const blocks = (rest + part).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) take(block);
    }
  };
  const done = read()
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true;
    });
  if (isStream) await vi.waitUntil(() => isReady || hasEnded, patience);
  else await done;
  return {
    status: response.status,
    headers: response.headers,
    problem: isStream ? {} : JSON.parse(text || "{}"),
    events,
    text: () => text,
    lastId: () => lastId,
    positionId: async () => {
      await vi.waitUntil(() => isPositionLast, patience);
      return lastId;
    },
    hasEnded: () => hasEnded,
    take: async (count) => {
      await vi.waitUntil(() => events.length >= count, patience);
      return events.splice(0, count).map(({ event, data }) => [event, data] as const);
    },
    close: () => ending.abort(),
  };
}
