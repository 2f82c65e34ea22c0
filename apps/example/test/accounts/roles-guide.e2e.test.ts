import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCurl } from "../read-curl.js";
import { type Shops, startShops } from "./shops.js";

const guide = fs.readFileSync(path.join(import.meta.dirname, "../../../../docs/guides/accounts.md"), "utf8");
const [, block = ""] = /^## Store permissions in the database$[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(guide) ?? [];
const requests = [...block.replaceAll(/ \\\n +/g, " ").matchAll(/^curl .*$/gm)].map(([line]) =>
  readCurl(line.replace("$A", "localhost:8000/api")),
);

let shops: Shops;
beforeAll(async () => {
  shops = await startShops();
});
afterAll(async () => {
  await shops?.closeOpened();
  await shops?.close();
});

it("creates a role, assigns and removes it, and adds a permission by the requests of the guide to accounts", async () => {
  const models = { AuthRole: { writable: ["permissions", "users"] } };
  const shop = await shops.open({ accounts: "dynamic", config: { models } });
  const { client } = shops.database;
  const role = () =>
    client.authRole.findUniqueOrThrow({ where: { name: "editor-of-posts" }, include: { users: true } });
  let id = 0;
  const send = async (request: (typeof requests)[number] | undefined) => {
    const { method, path: target, body = "null" } = request ?? readCurl("");
    const text = body.replace('"editor"', '"editor-of-posts"').replace('"roleId":4', `"roleId":${id}`);
    return shop.as("root", method, target.replace("/auth-roles/4", `/auth-roles/${id}`), JSON.parse(text) ?? undefined);
  };
  const [create, assign, remove, permit, list, ...others] = requests;
  expect(others).toEqual([]);

  const created = await send(create);
  expect(created.status).toBe(201);
  id = Number(created.body.data.id);
  expect((await send(assign)).status).toBe(200);
  expect((await role()).users.map((user) => user.id)).toEqual([2]);
  expect((await send(remove)).status).toBe(200);
  expect((await role()).users).toEqual([]);
  expect((await send(permit)).status).toBe(201);
  expect(await client.authPermission.count({ where: { roleId: id, resource: "post" } })).toBe(2);
  expect((await send(list)).body.data).toContainEqual(expect.objectContaining({ resource: "auth-role" }));
});
