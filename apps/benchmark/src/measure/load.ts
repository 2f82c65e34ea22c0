import { Agent, type IncomingHttpHeaders, request as openRequest } from "node:http";

/** One request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** An access token. */
  readonly token?: string;
  /** The expected status, if it is not a success. */
  readonly status?: number;
}

export interface LoadResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Connections that are open at a time. */
export const connections = 16;

/** A client of one server. */
export interface LoadClient {
  send(request: LoadRequest): Promise<LoadResponse>;
  /**
   * Sends `count` requests on all connections.
   *
   * @throws {Error} at the first response with another status than expected
   */
  sendAll(count: number, next: () => LoadRequest): Promise<void>;
  close(): void;
}

export function makeLoadClient(port: number, maxSockets = connections): LoadClient {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const send = (request: LoadRequest): Promise<LoadResponse> => sendRequest(agent, port, request);
  return {
    send,
    sendAll: async (count, next) => {
      let left = count;
      const work = async (): Promise<void> => {
        while (left > 0) {
          left--;
          const request = next();
          const { status, body } = await send(request);
          if (request.status === undefined ? status >= 300 : status !== request.status)
            throw new Error(`${request.method} ${request.path} returned ${status}: ${body}`);
        }
      };
      await Promise.all(Array.from({ length: connections }, work));
    },
    close: () => agent.destroy(),
  };
}

function sendRequest(agent: Agent, port: number, { method, path, body, token }: LoadRequest): Promise<LoadResponse> {
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const request = openRequest({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, headers: received, body: Buffer.concat(chunks).toString() });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
