import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type Packument, proxiedPackuments } from "./proxied-packuments.js";

/** A package in the registry, as `npm publish` sends it. */
export interface Published extends Packument {
  /** The tag that it was published with. */
  readonly tag: string;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/** An npm registry in memory. */
export interface LocalRegistry {
  readonly url: string;
  /** The content of an `.npmrc` that publishes to it and installs from it. */
  readonly npmrc: string;
  /** The published packages by name. */
  readonly published: ReadonlyMap<string, Published>;
  /** The number of accepted publications. */
  readonly writes: () => number;
  close(): void;
}

/**
 * Starts an npm registry with the endpoints that publishing and installing need.
 *
 * @param upstream the registry of all packages that are not published here; without it they do not exist
 */
export async function startLocalRegistry(upstream?: string): Promise<LocalRegistry> {
  const published = new Map<string, Published>();
  const proxied = upstream === undefined ? undefined : proxiedPackuments(upstream);
  let writes = 0;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://registry");
    const [name = "", file] = decodeURIComponent(pathname.slice(1)).split("/-/");
    if (request.method === "PUT") {
      writes += 1;
      published.set(name, withDates((await json(request)) as Omit<Published, "tag">));
      return void send(response, 201, {});
    }
    const known = published.get(name);
    if (known !== undefined && file !== undefined) return void response.end(tarballIn(known));
    if (upstream !== undefined && file !== undefined) {
      return void response.writeHead(302, { location: new URL(pathname, upstream).href }).end();
    }
    const packument =
      known === undefined && !isOwn(name) ? await proxied?.(name) : known && { ...known, _attachments: undefined };
    send(response, packument === undefined ? 404 : 200, packument ?? {});
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/`,
    npmrc: `registry=http://${host}/\n//${host}/:_authToken=of-the-tests\n`,
    published,
    writes: () => writes,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Whether a package is one of this repository: it exists only if it was published here. */
const isOwn = (name: string): boolean => /^(@servicekit\/|create-servicekit$)/.test(name);

/** The age of a published version in milliseconds: Yarn and pnpm reject versions of the last day. */
const age = 7 * 24 * 3600_000;

/**
 * What the registry adds: the first version of a package becomes `latest`, whatever tag it is published with, and each
 * version has a time.
 */
function withDates(one: Omit<Published, "tag">): Published {
  const [[tag = "", version = ""] = []] = Object.entries(one["dist-tags"]);
  const time = { [version]: new Date(Date.now() - age).toISOString() };
  return { ...one, tag, "dist-tags": { latest: version, ...one["dist-tags"] }, time };
}

function tarballIn({ _attachments: attachments }: Published): Buffer {
  const [{ data } = { data: "" }] = Object.values(attachments);
  return Buffer.from(data, "base64");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
