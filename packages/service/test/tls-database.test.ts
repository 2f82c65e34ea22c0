import net from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

/** A self-signed certificate for this test. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUPee9VQu8Wk9wuLnT4i1tNDqQ6L8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTIwNTMzMloYDzIxMjYxMTAx
MjA1MzMyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARmft2CYrC5C1TcVW3wXPCZ1ZlOnNvec3rDhAnOvJdpqCtUtvn/JlAP
HXDJRCQ/1z94lc6HO8zsvfiv16Mo3dUYo1MwUTAdBgNVHQ4EFgQUn80XooVxGrIW
JSeUB9t7FvoXYEcwHwYDVR0jBBgwFoAUn80XooVxGrIWJSeUB9t7FvoXYEcwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAgrGKmZnaaDvXy7sZNE8m
1GUMIexWvArtbdSYJ/YfeOkCIHxggWo+Xtzn7DOYoaqn2+h2BA2G58H6cwzvdPk9
WBUK
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmMcQGgXT2CSqjRw+
8boNl1PqZAM7HpClL6j4fEVpUoKhRANCAARmft2CYrC5C1TcVW3wXPCZ1ZlOnNve
c3rDhAnOvJdpqCtUtvn/JlAPHXDJRCQ/1z94lc6HO8zsvfiv16Mo3dUY
-----END PRIVATE KEY-----`;

const { init, closeAll, logged } = makeStarter();
/** A database that accepts TLS and sends nothing more. */
const server = net.createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", () => {
    socket.write("S");
    const secure = new tls.TLSSocket(socket, { isServer: true, cert, key });
    secure.on("error", () => undefined);
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(async () => {
  await closeAll();
  server.close();
});

it("logs how to trust the certificate of a database that sslmode=require rejects, and responds with 503", async () => {
  const { port } = server.address() as net.AddressInfo;
  const environment = { NODE_ENV: "test", DATABASE_URL: `postgresql://a:b@localhost:${port}/c?sslmode=require` };
  const service = await init(
    { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
    { environment },
  );
  await vi.waitFor(() => {
    const line = logged().find(({ msg }) => String(msg).startsWith("the database is unavailable"));
    expect(line?.hint).toMatch(/sslrootcert/);
  }, 10_000);
  // The stack is the same for each attempt, so only the first one logs it.
  await vi.waitFor(() => {
    const lines = logged().filter(({ msg }) => String(msg).startsWith("the database is unavailable"));
    expect(lines.slice(0, 2)).toEqual([
      expect.objectContaining({ err: expect.objectContaining({ stack: expect.any(String) }) }),
      expect.objectContaining({ reason: expect.stringContaining("self-signed certificate"), hint: expect.any(String) }),
    ]);
  }, 10_000);
  expect((await fetch(`${service.url}/api/notes`)).status).toBe(503);
});
