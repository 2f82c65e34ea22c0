import { afterAll, describe, expect, it } from "vitest";
import { timeRatio } from "../../../../../scripts/test/measure.js";
import type { Bcrypt } from "./bcrypt.js";
import { loadNativeBcrypt } from "./native-bcrypt.js";
import { makePasswordHasher } from "./password-hasher.js";
import { makeWorkerBcrypt } from "./worker-bcrypt.js";

const workers = makeWorkerBcrypt();
const native = (await loadNativeBcrypt(() => import("node-rs-bcrypt"))) as Bcrypt;
afterAll(() => workers.close());

describe.each([
  ["@node-rs/bcrypt", native],
  ["bcryptjs in worker threads", workers],
])("%s", (_, bcrypt) => {
  it("checking without a hash takes as long as with a hash", async () => {
    const hasher = makePasswordHasher({ cost: 9, bcrypt });
    const hash = await hasher.hash("correct horse");
    const verify = (given: string | undefined) => () => hasher.verify("wrong horse", given);
    await verify(hash)();
    const ratio = await timeRatio(verify(undefined), verify(hash));
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  it("the event loop is not blocked while passwords are hashed", async () => {
    const hasher = makePasswordHasher({ cost: 10, bcrypt, running: 1 });
    await hasher.hash("correct horse");
    let isDone = false;
    const hashes = Promise.all(Array.from({ length: 4 }, () => hasher.hash("correct horse"))).finally(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
    await hashes;
    // One for each hash, if hashing blocked the loop.
    expect(turns).toBeGreaterThan(4 * 4);
  });
});
