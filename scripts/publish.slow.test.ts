import { execFile } from "node:child_process";
import fs from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUserEnvironment } from "./test/new-user-environment.js";
import { type Manifest, readManifest } from "./test/packed-packages.js";

const root = path.join(import.meta.dirname, "..");
const run = promisify(execFile);

interface Published {
  readonly name: string;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, Manifest>>;
}

/** The published packages by name: a registry with the necessary endpoints. */
const published = new Map<string, Published>();
let writes = 0;
let registry: Server;

beforeAll(async () => {
  registry = createServer(async (request, response) => {
    const name = decodeURIComponent((request.url ?? "").slice(1).split("?")[0] ?? "");
    const known = published.get(name);
    if (request.method === "PUT") {
      writes += 1;
      published.set(name, (await json(request)) as Published);
    }
    response.writeHead(request.method === "PUT" ? 201 : known === undefined ? 404 : 200, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify(known ?? {}));
  });
  await new Promise<void>((resolve) => void registry.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void registry.close());

describe("C73 npm run release", () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-publish-home-"));
  afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

  const release = async () => {
    const host = `127.0.0.1:${(registry.address() as AddressInfo).port}`;
    fs.writeFileSync(path.join(home, ".npmrc"), `registry=http://${host}/\n//${host}/:_authToken=of-the-tests\n`);
    const env = newUserEnvironment({ HOME: home });
    return run(process.execPath, [path.join(root, "scripts", "publish.mjs")], { cwd: root, env });
  };
  const names = fs.readdirSync(path.join(root, "packages"));

  it("C73 publishes each package once, with real ranges, and a beta not as latest", async () => {
    await release();
    expect(published.size).toBe(names.length);
    for (const { name, version } of names.map((one) => readManifest(path.join(root, "packages", one)))) {
      const one = published.get(name);
      expect(one?.["dist-tags"], name).toEqual({ [version.includes("-beta.") ? "beta" : "latest"]: version });
      const { dependencies = {}, peerDependencies = {} } = one?.versions[version] ?? {};
      expect(JSON.stringify({ dependencies, peerDependencies }), name).not.toMatch(/workspace:|catalog:/);
    }

    await release();
    expect(writes).toBe(names.length);
  }, 600_000);
});
