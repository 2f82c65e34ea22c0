import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { form, png } from "./samples.js";

const folder = mkdtempSync(new URL("./.readme-", import.meta.url).pathname);
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

it("the first snippet of the README runs", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const code = snippet
    .replace('"@servicekit/uploads"', '"../../src/index.js"')
    .replace("process.cwd()", JSON.stringify(folder))
    .replace(".listen(3000)", ".listen(0)");
  const file = join(folder, "snippet.ts");
  writeFileSync(file, `${code}\nexport { server };\n`);
  const { server } = (await import(/* @vite-ignore */ file)) as { server: Server };
  servers.push(server);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = form(["name", "Ada"], ["profile[photo]", png, "me.png"]);
  const answer = await fetch(`${origin}/users`, { method: "POST", body });
  const { data } = await answer.json();
  expect([answer.status, data.name]).toEqual([201, "Ada"]);
  const got = await fetch(origin + data.profile.photo);
  expect(Buffer.from(await got.arrayBuffer())).toEqual(png);
});
