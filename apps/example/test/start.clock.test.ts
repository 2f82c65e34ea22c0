import fs from "node:fs";
import { expect, it } from "vitest";
import { freePort, makeShopFolder, startBuiltShop } from "./run-built-shop.js";

it("C41 a restarted shop listens sooner than on its first start, including the database", {
  timeout: 300_000,
}, async () => {
  const directory = makeShopFolder();
  const port = await freePort();
  const time = async (): Promise<number> => {
    const { child, exit, until } = startBuiltShop(directory, port);
    const time = await until("Ctrl+C");
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    return time;
  };
  try {
    // Creates the database, its tables and its rows.
    const first = await time();
    expect((await time()) < first || (await time()) < first).toBe(true);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
});
