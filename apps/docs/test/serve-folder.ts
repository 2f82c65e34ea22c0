import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Serves the files of a folder, like any static host. */
export async function serveFolder(folder: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = path.join(folder, decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    const isThere = file.startsWith(folder) && fs.existsSync(file) && fs.statSync(file).isFile();
    response.writeHead(isThere ? 200 : 404, {
      "content-type": types[path.extname(file)] ?? "application/octet-stream",
    });
    response.end(isThere ? fs.readFileSync(file) : "There is no page.");
  });
  server.listen(0, "localhost");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
