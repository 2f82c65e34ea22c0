import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CallWatch, watchCalls } from "../../../scripts/test/watch-calls.js";
import { type OpenShop, startGuardedShop } from "./open-shop.js";

const root = path.join(import.meta.dirname, "../../..");
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8");

/** A file or folder of a list of the page, and whether every such request reaches it. */
interface Listed {
  readonly file: string;
  readonly isConditional: boolean;
}

/**
 * The files of a list: each line has a package, files or folders of it, and a description. File names after the first
 * are in its folder; a line in parentheses applies to some requests only.
 */
function readList(request: string): Listed[] {
  const [, list = ""] = page.slice(page.indexOf(`\`${request}`)).split("```");
  return list.split("\n").flatMap((line) => {
    const [, bracket, name, files = ""] = /^(\(?)([\w-]+) +((?:[\w/-]+(?:\.ts|\/)(?:, )?)+)(?: |$)/.exec(line) ?? [];
    const [first = "", ...others] = files.split(", ").filter((file) => file !== "");
    const inFolder = others.map((file) => (file.includes("/") ? file : `${path.dirname(first)}/${file}`));
    return [first, ...inFolder]
      .filter((file) => file !== "")
      .map((file) => ({ file: `packages/${name}/src/${file}`, isConditional: bracket === "(" }));
  });
}

let shop: OpenShop;
let watch: CallWatch;

/** The files of packages that take part in the second of two equal requests. */
async function filesOf(send: () => Promise<{ readonly status: number }>): Promise<readonly string[]> {
  await send();
  await watch.take();
  const { status } = await send();
  const called = await watch.take();
  expect([200, 201]).toContain(status);
  const files = called.map(({ file }) => path.relative(root, file.split("?")[0] as string));
  return [...new Set(files)].filter((file) => /^packages\/[\w-]+\/src\//.test(file)).sort();
}

beforeAll(async () => {
  shop = await startGuardedShop("static", {});
  watch = await watchCalls();
});
afterAll(async () => {
  watch?.close();
  await shop?.close();
});

function expectReached(list: readonly Listed[], files: readonly string[]): void {
  const missing = list.filter(({ file, isConditional }) =>
    isConditional ? !existsSync(path.join(root, file)) : !files.some((called) => called.startsWith(file)),
  );
  expect(missing).toEqual([]);
}

it("a list of products passes every file that docs/architecture.md names, and at most as many as it states", async () => {
  const list = readList("GET /api/products?price__lt=20&include=category");
  expect(list.length).toBeGreaterThan(40);
  expect(list.length).toBeLessThanOrEqual(50);
  const files = await filesOf(() => shop.call("GET", "/products?price__lt=20&include=category"));
  expectReached(list, files);
  const [, stated] = /About (\d+) files/.exec(page) ?? [];
  expect(files.length).toBeLessThanOrEqual(Number(stated));
});

it("a created product passes every file that docs/architecture.md names", async () => {
  const list = readList("POST /api/products");
  expect(list.length).toBeGreaterThan(8);
  let number = 0;
  const files = await filesOf(() => {
    number++;
    const body = { sku: `PATH-${number}`, name: "Path", price: "1.00", categoryId: 2 };
    return shop.call("POST", "/products", body, { "idempotency-key": `path-${number}` });
  });
  expectReached(list, files);
});
