import net from "node:net";

/** What happens to the bytes that a client sends: they are passed on, as they are or changed, dropped, or the connection ends. */
export type Change = (sent: Buffer) => Buffer | "drop" | "close";

/** A server that passes on the connections to another server. */
export interface MysqlProxy {
  /** The URL of the database at this server. */
  readonly url: string;
  /** The number of open connections. */
  open(): number;
  close(): Promise<void>;
}

/** Starts a server in front of that of a MySQL or MariaDB database, without TLS. */
export async function startMysqlProxy(url: string, change: Change): Promise<MysqlProxy> {
  const target = new URL(url);
  const clients = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    clients.add(client);
    const end = (): void => {
      clients.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    upstream.pipe(client);
    client.on("data", (sent) => {
      const changed = change(sent);
      if (changed === "close") end();
      else if (changed !== "drop") upstream.write(changed);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = new URL(url);
  own.port = String((server.address() as net.AddressInfo).port);
  return {
    url: own.href,
    open: () => clients.size,
    close: async () => {
      for (const client of clients) client.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
