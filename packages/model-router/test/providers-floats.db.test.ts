import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { type Portable, startPortable } from "./portable.js";

describe.each(providers.filter((provider) => provider !== "postgresql"))("C113, C119 floats of %s", (provider) => {
  let service: Portable;
  beforeAll(async () => {
    service = await startPortable(provider, "");
  });
  afterAll(() => service?.close());

  it.each(["NaN", "Infinity", "-Infinity"])("reject %s in conditions, with the place", async (value) => {
    for (const path of [`/values?float=${value}`, `/values?float__lt=${value}`, `/values?float__in=1,${value}`]) {
      const { status, body } = await service.call("GET", path);
      expect([path, status, body]).toMatchObject([
        path,
        400,
        { errors: [{ in: "query", path: expect.stringMatching(/^\/float/), code: "InvalidValue" }] },
      ]);
    }
    const { status } = await service.call("DELETE", `/values/many?float=${value}`);
    expect(status).toBe(400);
  });
});
