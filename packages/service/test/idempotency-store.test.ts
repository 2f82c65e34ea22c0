import { afterEach, expect, it } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { makeStarter } from "./start.js";

const { create, logged, closeAll } = makeStarter();
afterEach(closeAll);

it("C49 Redis stores idempotency keys, and the log names what it does not guarantee", async () => {
  // Redis does not have to be available at startup.
  const redis = { url: `redis://127.0.0.1:${await freePort()}` };
  await create({ idempotency: { store: "redis" }, redis });
  expect(logged().map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/^idempotency keys are stored in Redis: .* the request may be executed again\./),
  );
});
