import http from "node:http";

/** A response. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: http.IncomingHttpHeaders;
  /** The parsed text of JSON, otherwise `undefined`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

export interface HttpCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

/** Sends a request over HTTP. */
export function send(agent: http.Agent, call: HttpCall): Promise<Reply> {
  const { url, method, text } = call;
  return new Promise((resolve, reject) => {
    const length = text === undefined ? {} : { "content-length": Buffer.byteLength(text) };
    const request = http.request(url, { agent, method, headers: { ...call.headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const content = Buffer.concat(chunks).toString();
        const isJson = /^application\/(problem\+)?json/.test(response.headers["content-type"] ?? "");
        resolve({
          status: response.statusCode ?? 0,
          text: content,
          headers: response.headers,
          body: isJson && content !== "" ? JSON.parse(content) : undefined,
        });
      });
      response.on("error", reject);
    });
    // The server may close an idle connection while it is reused.
    request.on("error", (error) => (request.reusedSocket ? resolve(send(agent, call)) : reject(error)));
    request.end(text);
  });
}
