import { type RouteStep } from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileAccess } from "../src/index.js";
import { form, png } from "./samples.js";
import { type Served, serve } from "./serve.js";
import { storages, type TestStorage } from "./storages.js";

/** Authenticates the user in a header; the rules come from another package. */
const signIn: RouteStep = {
  key: "authentication",
  handlers: () => [
    (request, _response, next) => {
      const id = request.get("x-user");
      if (id !== undefined) {
        setCaller(request, { id: decodeURIComponent(id), roles: [], isSuperUser: id === "root", user: {} });
      }
      next();
    },
  ],
};

describe.each(storages)("C34 the uploader of a file, on %s", (_, open) => {
  let storage: TestStorage;
  beforeAll(async () => {
    storage = await open();
  });
  afterAll(() => storage?.close());

  const start = (access: FileAccess): Promise<Served> => serve({ config: storage.config, access, steps: [signIn] });
  const as = (user: string | undefined): Record<string, string> =>
    user === undefined ? {} : { "x-user": encodeURIComponent(user) };
  const send = async (served: Served, user: string | undefined): Promise<string> => {
    const body = form(["images", png, "a.png"]);
    const response = await fetch(`${served.origin}/api/uploads/images`, { method: "POST", body, headers: as(user) });
    return served.origin + (await response.json()).data.pathname;
  };
  const remove = async (url: string, user: string | undefined): Promise<number> =>
    (await fetch(url, { method: "DELETE", headers: as(user) })).status;

  it("may delete it, and no other user but a superuser, if deleteFile is true", async () => {
    const served = await start({ deleteFile: true });
    const before = storage.stored(served.directory).length;
    for (const owner of ["7", "Ünal/../x"]) {
      const [own, other] = [await send(served, owner), await send(served, owner)];
      expect([await remove(own, "8"), await remove(own, undefined)]).toEqual([404, 404]);
      expect((await fetch(own)).status).toBe(200);
      expect([await remove(own, owner), await remove(own, owner), await remove(other, "root")]).toEqual([
        204, 404, 204,
      ]);
    }
    expect(storage.stored(served.directory).length).toBe(before);
  });

  it("is unknown for an anonymous file, which only superusers may delete", async () => {
    const served = await start({ deleteFile: true });
    const url = await send(served, undefined);
    expect([await remove(url, "7"), await remove(url, undefined), await remove(url, "root")]).toEqual([404, 404, 204]);
  });

  it("does not matter for other rules, nor if everyone may", async () => {
    for (const deleteFile of [false, ["editor"]] as const) {
      const served = await start({ deleteFile });
      expect(await remove(await send(served, "7"), "8")).toBe(204);
    }
  });

  it("is never served", async () => {
    const served = await start({ deleteFile: true });
    const url = await send(served, "7");
    const hidden = url.replace(/[^/]+$/, (name) => `.${name}.owner`);
    expect((await fetch(hidden)).status).toBe(404);
    await remove(url, "7");
  });
});
