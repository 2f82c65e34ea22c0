import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { freePort } from "../../../../scripts/test/free-port.js";

/** Whether the machine has nginx, which is the shared cache of tests. */
export const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
if (!hasNginx) console.warn("Skipped the tests with a shared HTTP cache: nginx is not installed.");

/** A shared HTTP cache in front of a service. */
export interface SharedCache {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts nginx with `proxy_cache` and its defaults; the header `X-Cache` of a response is HIT or MISS, for example. */
export async function startSharedCache(target: string): Promise<SharedCache> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-nginx-"));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  // Its worker would be another user, which cannot read the folder.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const config = `
    ${user}
    worker_processes 1;
    pid ${folder}/pid;
    error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
      proxy_cache_path ${folder}/cache keys_zone=api:1m;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${target};
          proxy_cache api;
          proxy_cache_key $request_uri;
          proxy_cache_revalidate on;
          add_header X-Cache $upstream_cache_status always;
        }
      }
    }`;
  const file = path.join(folder, "nginx.conf");
  fs.writeFileSync(file, config);
  const nginx: ChildProcess = spawn("nginx", ["-c", file, "-g", "daemon off;"], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => nginx.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await vi.waitUntil(async () => (await fetch(`${url}/api/health/live`).catch(() => undefined))?.ok, {
    timeout: 30_000,
  });
  return {
    url,
    close: async () => {
      nginx.kill("SIGQUIT");
      await ended;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
