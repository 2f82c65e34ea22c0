import { Agent, type IncomingHttpHeaders, request as send } from "node:http";

/** One request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** An access token. */
  readonly token?: string;
  /** The status that is right, where it is no success. */
  readonly status?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Connections that are open at a time. */
export const connections = 16;

/** A client of one server. */
export interface LoadClient {
  ask(request: LoadRequest): Promise<Answer>;
  /**
   * Sends `count` requests on all connections.
   *
   * @throws {Error} at the first answer that is no success
   */
  sendAll(count: number, next: () => LoadRequest): Promise<void>;
  close(): void;
}

export function makeLoadClient(port: number, maxSockets = connections): LoadClient {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const ask = (request: LoadRequest): Promise<Answer> => askServer(agent, port, request);
  return {
    ask,
    sendAll: async (count, next) => {
      let left = count;
      const work = async (): Promise<void> => {
        while (left > 0) {
          left--;
          const request = next();
          const { status, body } = await ask(request);
          if (request.status === undefined ? status >= 300 : status !== request.status)
            throw new Error(`${request.method} ${request.path} was answered ${status}: ${body}`);
        }
      };
      await Promise.all(Array.from({ length: connections }, work));
    },
    close: () => agent.destroy(),
  };
}

function askServer(agent: Agent, port: number, { method, path, body, token }: LoadRequest): Promise<Answer> {
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const request = send({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks).toString() });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
