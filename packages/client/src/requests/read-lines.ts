/** The values of newline-delimited JSON while they arrive. Ending the iteration ends the request. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const lines = text.split("\n");
      text = done ? "" : (lines.pop() ?? "");
      for (const line of lines) if (line !== "") yield JSON.parse(line) as unknown;
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}
