/** How far a body is sent, in bytes: the form around the files counts too. */
export interface Progress {
  readonly sent: number;
  readonly total: number;
}

/**
 * Makes a way to send one call that tells how far its body is: by `XMLHttpRequest` in a page, which alone knows it there, and by
 * counting the stream elsewhere.
 *
 * @example
 * await shop.upload("images", files, { fetch: withProgress(({ sent, total }) => (bar.value = sent / total)) });
 */
export function withProgress(tell: (progress: Progress) => void): (request: Request) => Promise<Response> {
  return (request) => (typeof XMLHttpRequest === "undefined" ? sendCounted(request, tell) : sendByPage(request, tell));
}

async function sendByPage(request: Request, tell: (progress: Progress) => void): Promise<Response> {
  const { method, url, headers, credentials, signal } = request;
  // The form with its boundary, which the headers name already.
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
    sent.upload.onprogress = ({ loaded, total }) => tell({ sent: loaded, total });
    sent.onload = () => {
      const { status, statusText } = sent;
      const isBodiless = status === 204 || status === 205 || status === 304;
      resolve(new Response(isBodiless ? null : sent.response, { status, statusText, headers: readHeaders(sent) }));
    };
    sent.onerror = () => reject(new TypeError("The service gave no answer."));
    sent.onabort = () => reject(signal.reason);
    sent.onloadend = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    sent.send(body);
  });
}

function readHeaders(answered: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of answered
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const at = line.indexOf(":");
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}

async function sendCounted(request: Request, tell: (progress: Progress) => void): Promise<Response> {
  const body = await request.blob();
  const { size: total } = body;
  let sent = 0;
  const counted = body.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, stream) {
        stream.enqueue(chunk);
        sent += chunk.length;
        tell({ sent, total });
      },
    }),
  );
  // The types of pages know of no duplex.
  return fetch(new Request(request, { body: counted, duplex: "half" } as RequestInit));
}
