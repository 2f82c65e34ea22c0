import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** How often it asks whether an instance is ready, in milliseconds. */
const askEvery = 100;

/** A balancer as they are: kept-alive links, in turn to whoever says that it is ready, no second try. */
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
        (answer) => {
          const { connection: _own, "keep-alive": _time, ...told } = answer.headers;
          outgoing.writeHead(answer.statusCode ?? 500, told);
          answer.pipe(outgoing);
        },
      );
      passed.once("error", (error) => {
        // Whoever does not answer gets nothing more until it says that it is ready.
        if (port !== undefined) this.ready.delete(port);
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end(`${port}: ${error.message}`);
      });
      incoming.pipe(passed);
    });
  }

  async open(): Promise<string> {
    const asked = this.ports.map((port) => this.ask(port));
    this.timer = setInterval(() => this.ports.map((port) => this.ask(port)), askEvery);
    await Promise.all(asked);
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

  private async ask(port: number): Promise<void> {
    // A link of its own, as health checks of balancers have.
    const status = await new Promise<number | undefined>((resolve) => {
      request({ host: "127.0.0.1", port, path: "/api/health/ready", agent: false }, (answer: IncomingMessage) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .once("error", () => resolve(undefined))
        .end();
    });
    if (status === 200) this.ready.add(port);
    else this.ready.delete(port);
  }
}
