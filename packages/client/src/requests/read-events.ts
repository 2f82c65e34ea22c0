/** A part of a stream of server-sent events. */
export interface ServerEvent {
  /** `undefined` for a part that only moves the position or sets the pause. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
  /** The pause before the next connection, in milliseconds. */
  readonly retry: number | undefined;
}

/** A server that sends nothing for so long is not reachable, in milliseconds: it sends a comment every 15 seconds. */
const maxSilenceMs = 60_000;

/**
 * The events of a response while they arrive, also those without data. Ending the iteration ends the request.
 *
 * @throws {Error} if nothing arrives for a minute
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield readBlock(block);
    }
  } finally {
    // Not awaited: a connection that is lost may never confirm it.
    reader.cancel().catch(() => undefined);
  }
}

function readBlock(block: string): ServerEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ""));
  }
  const retry = Number(fields.get("retry") ?? Number.NaN);
  return {
    type: fields.has("data") ? (fields.get("event") ?? "message") : undefined,
    id: fields.get("id"),
    data: fields.get("data") ?? "",
    retry: Number.isNaN(retry) ? undefined : retry,
  };
}

function withinSilence<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The stream of events is silent.")), maxSilenceMs);
  });
  return Promise.race([read, silence]).finally(() => clearTimeout(timer));
}
