import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ServiceRouter } from "../src/index.js";
import { database } from "./key-rows.js";
import { makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
afterEach(closeAll);

const router = ServiceRouter();
router.post({ path: "/items", validation: { body: z.array(z.int()) } }, (_request, response) => void response.json({}));

/** Maximum size of a response that lists errors, in bytes. */
const bound = 50_000;

describe("a response lists a limited number of errors", () => {
  it.each<[string, string, unknown]>([
    ["fields", `/api/notes?fields=${",".repeat(7_900)}`, undefined],
    ["fields that are all different", `/api/notes?fields=${names(1_500)}`, undefined],
    ["sort", `/api/notes?sort=${",".repeat(7_900)}`, undefined],
    ["include", `/api/notes?include=${names(1_500)}`, undefined],
    ["filters", `/api/notes?${names(190).replaceAll(",", "=1&")}`, undefined],
    ["a bulk", "/api/notes/many", Array.from({ length: 900 }, () => ({ text: 1, nonsense: 2 }))],
    [
      "unknown keys",
      "/api/notes",
      Object.fromEntries(
        names(1_500)
          .split(",")
          .map((name) => [name, 1]),
      ),
    ],
    ["a declared route", "/items", Array.from({ length: 9_000 }, () => "a")],
  ])("C3 %s", async (_, target, body) => {
    const { url } = await init({ database, use: [router] });
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(url + target, body === undefined ? {} : sent);
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(JSON.parse(text).errors.length).toBeLessThanOrEqual(100);
    expect(text.length).toBeLessThan(bound);
  });

  it.each<[string, unknown]>([
    ["empty sort keys", call("find", { resource: "notes", sort: Array(9_900).fill("") })],
    ["sort keys of a wrong type", call("find", { resource: "notes", sort: Array(9_900).fill(1) })],
    ["fields of a wrong type", call("find", { resource: "notes", fields: Array(4_000).fill({}) })],
    [
      "arguments that do not exist",
      call(
        "find",
        Object.fromEntries(
          names(5_000)
            .split(",")
            .map((name) => [name, 1]),
        ),
      ),
    ],
    ["a long name of a resource", call("find", { resource: "n".repeat(500_000) })],
  ])("C75 in the result of a tool: %s", async (_, message) => {
    const { url } = await init({ database, mcp: { access: "write" } });
    const response = await fetch(`${url}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(message),
    });
    const text = await response.text();
    expect(text).toMatch(/"isError":true/);
    expect(text.length).toBeLessThan(bound);
  });
});

/** Distinct names. */
function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `f${index.toString(36)}`).join(",");
}

function call(name: string, given: object): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
}
