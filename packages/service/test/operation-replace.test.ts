import { afterEach, describe, expect, it } from "vitest";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
afterEach(closeAll);

const handler = (_request: unknown, response: { end(): void }) => response.end();
const own = (name: string) => Object.defineProperty({}, name, { value: handler, enumerable: true }) as never;

describe("C51 names of replacements", () => {
  it.each([
    ["routers", "constructor"],
    ["routers", "__proto__"],
    ["routers", "toString"],
    ["middlewares", "constructor"],
    ["middlewares", "__proto__"],
  ])("%s.replace.%s is only an unknown name", async (block, name) => {
    const starting = create({ [block]: { replace: own(name) } });
    await expect(starting).rejects.toThrow("(1 error)");
    await expect(starting).rejects.toThrow(
      `${block}.replace.${name} (the init object): Unknown name "${name}"; expected one of`,
    );
  });

  it("reports a value that is not a handler", async () => {
    const wrong = create({
      routers: { replace: { authRouter: 7 as never } },
      middlewares: { replace: { cors: 7 as never } },
    });
    await expect(wrong).rejects.toThrow(
      /middlewares\.replace\.cors .*a function[\s\S]*routers\.replace\.authRouter .*a handler or a router/,
    );
    await expect(create({ routers: { replace: 7 as never } })).rejects.toThrow(/routers\.replace .*an object/);
  });
});
