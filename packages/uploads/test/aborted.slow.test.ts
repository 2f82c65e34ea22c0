import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceRouter } from "@servicekit/router";
import { afterAll, describe, expect, it } from "vitest";
import { form, png } from "./samples.js";
import { serve, until } from "./serve.js";
import { storages, type TestStorage } from "./storages.js";

const descriptors = (): number => readdirSync("/proc/self/fd").length;

describe.each(storages)("an aborted upload on %s", (name, open) => {
  let storage: TestStorage | undefined;
  afterAll(() => storage?.close());

  const rounds = name === "disk" ? 200 : 40;
  it(`C35 leaves nothing behind, ${rounds} times at random points`, { timeout: 300_000 }, async () => {
    storage = await open();
    const { stored } = storage;
    const uploads = {
      type: "fields" as const,
      fields: [
        { name: "a", maxCount: 1 },
        { name: "b", maxCount: 1 },
      ],
    };
    const served = await serve({
      config: storage.config,
      mount: (app) =>
        app.use(
          ServiceRouter().post(
            { path: "/a", experimental: { uploads: { ...uploads, deleteOnError: true } } },
            (_request, response) => {
              response.status(409).json({});
            },
          ),
        ),
    });
    const part = (field: string, extension: string, content: Buffer): Buffer =>
      Buffer.concat([
        Buffer.from(`--x\r\nContent-Disposition: form-data; name="${field}"; filename="f.${extension}"\r\n\r\n`),
        content,
        Buffer.from("\r\n"),
      ]);
    const body = Buffer.concat([
      part("a", "bin", Buffer.alloc(7 * 1024 * 1024, 1)),
      part("b", "png", png),
      Buffer.from("--x--\r\n"),
    ]);
    const idle = descriptors();
    for (let round = 0; round < rounds; round++) {
      const socket = connect(served.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(
        `POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      const end =
        round % 4 === 0 ? body.length - 1 - round : Math.floor((((round * 7919) % rounds) / rounds) * body.length);
      socket.write(body.subarray(0, end));
      await sleep((round * 13) % 30);
      if (round % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    await until(() => stored(served.directory).length === 0, "nothing is kept");
    await until(() => descriptors() <= idle + 5, "the descriptors are closed");
    expect(served.logged).toEqual([]);
    const good = await fetch(`${served.origin}/api/uploads/images`, {
      method: "POST",
      body: form(["images", png, "a.png"]),
    });
    expect(good.status).toBe(201);
  });
});
