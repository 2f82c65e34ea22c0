import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The interval of readiness probes, in milliseconds. */
const askEvery = 100;

/** A typical load balancer: keep-alive connections, round robin over ready instances, no retry. */
export class Balancer {
  readonly server: Server;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly ready = new Set<number>();
  private turn = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ports: readonly number[]) {
    this.server = createServer((incoming, outgoing) => {
      const among = [...this.ready];
      const port = among[this.turn++ % among.length];
      const { method, headers, url } = incoming;
      const { connection: _, ...sent } = headers;
      const passed = request(
        { host: "127.0.0.1", port, path: url, method, headers: sent, agent: this.agent },
        (response) => {
          const { connection: _own, "keep-alive": _time, ...reported } = response.headers;
          outgoing.writeHead(response.statusCode ?? 500, reported);
          response.pipe(outgoing);
        },
      );
      passed.once("error", (error) => {
        // An instance that does not respond gets no requests until it is ready again.
        if (port !== undefined) this.ready.delete(port);
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end(`${port}: ${error.message}`);
      });
      incoming.pipe(passed);
    });
  }

  async open(): Promise<string> {
    const requested = this.ports.map((port) => this.call(port));
    this.timer = setInterval(() => this.ports.map((port) => this.call(port)), askEvery);
    await Promise.all(requested);
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    clearInterval(this.timer);
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }

  isReady(port: number): boolean {
    return this.ready.has(port);
  }

  private async call(port: number): Promise<void> {
    // A separate connection, like health checks of load balancers.
    const status = await new Promise<number | undefined>((resolve) => {
      request({ host: "127.0.0.1", port, path: "/api/health/ready", agent: false }, (response: IncomingMessage) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once("error", () => resolve(undefined))
        .end();
    });
    if (status === 200) this.ready.add(port);
    else this.ready.delete(port);
  }
}
