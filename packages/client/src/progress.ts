/** The progress of a body in bytes, including the form around the files. */
export interface Progress {
  readonly sent: number;
  readonly total: number;
}

/**
 * Creates a `fetch` for one call that reports the progress of its body: with `XMLHttpRequest` in a page, the only API
 * that has it there, and by counting the stream elsewhere.
 *
 * @example
 * await shop.upload("images", files, { fetch: withProgress(({ sent, total }) => (bar.value = sent / total)) });
 */
export function withProgress(report: (progress: Progress) => void): (request: Request) => Promise<Response> {
  return (request) =>
    typeof XMLHttpRequest === "undefined" ? sendCounted(request, report) : sendByPage(request, report);
}

async function sendByPage(request: Request, report: (progress: Progress) => void): Promise<Response> {
  const { method, url, headers, credentials, signal } = request;
  // The form with its boundary, which the headers already contain.
  const body = await request.blob();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    const abort = (): void => sent.abort();
    sent.open(method, url);
    sent.responseType = "blob";
    sent.withCredentials = credentials === "include";
    headers.forEach((value, name) => {
      sent.setRequestHeader(name, value);
    });
    sent.upload.onprogress = ({ loaded, total }) => report({ sent: loaded, total });
    sent.onload = () => {
      const { status, statusText } = sent;
      const isBodiless = status === 204 || status === 205 || status === 304;
      resolve(new Response(isBodiless ? null : sent.response, { status, statusText, headers: readHeaders(sent) }));
    };
    sent.onerror = () => reject(new TypeError("The service did not respond."));
    sent.onabort = () => reject(signal.reason);
    sent.onloadend = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    sent.send(body);
  });
}

function readHeaders(responded: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of responded
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const at = line.indexOf(":");
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}

async function sendCounted(request: Request, report: (progress: Progress) => void): Promise<Response> {
  const body = await request.blob();
  const { size: total } = body;
  let sent = 0;
  const counted = body.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, stream) {
        stream.enqueue(chunk);
        sent += chunk.length;
        report({ sent, total });
      },
    }),
  );
  // The DOM types do not include duplex.
  return fetch(new Request(request, { body: counted, duplex: "half" } as RequestInit));
}
