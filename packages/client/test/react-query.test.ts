import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { invalidateResource, listKey } from "../src/react-query/index.js";

it("C74 a list that is first read while a row is created contains the row", async () => {
  const queries = new QueryClient();
  let stored: readonly string[] = [];
  let response = (): void => undefined;
  const current = new Promise<void>((resolve) => {
    response = resolve;
  });
  let reads = 0;
  const list = new QueryObserver(queries, {
    queryKey: listKey("tags"),
    queryFn: async () => {
      const found = stored;
      if (++reads === 1) await current;
      return found;
    },
  });
  const leave = list.subscribe(() => undefined);
  await expect.poll(() => reads).toBe(1);
  stored = ["made"];
  const reported = invalidateResource(queries, "tags");
  response();
  await reported;
  expect(list.getCurrentResult()).toMatchObject({ status: "success", data: ["made"] });
  leave();
});
