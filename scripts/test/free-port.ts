import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Where systems take no ports from for connections that go out: one of those may be taken again at any moment. */
const [first, last] = [10_000, 32_000];

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? resolve(false) : reject(error),
    );
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
