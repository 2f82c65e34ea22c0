import { afterEach, expect, inject, it, vi } from "vitest";
import { comparedReads } from "../../../scripts/test/compare-reads.js";
import { startBlog } from "./blog.js";

afterEach(() => vi.unstubAllEnvs());

it("compares lists with a total with both engines, as rows and as JSON, also of keys with two fields", async () => {
  vi.stubEnv("READS", "both");
  const rows: unknown[] = [];
  const blog = await startBlog(inject("postgresUrl"), {
    models: {
      Reaction: {
        // A hook needs rows.
        hooks: { afterFindMany: (_request, response, next) => next(void rows.push(response.locals.data)) },
      },
    },
  });
  try {
    await blog.client.reaction.createMany({ data: [1, 2, 3].map((postId) => ({ postId, kind: "like" })) });
    await blog.client.post.createMany({ data: [1, 2, 3].map((id) => ({ title: `${id}` })) });
    const compared = (): number => [...comparedReads.values()].reduce((sum, tally) => sum + tally.compared, 0);
    const before = compared();
    for (const path of ["/reactions", "/reactions?limit=2", "/reactions?limit=2&page=9", "/posts", "/posts?limit=2"]) {
      const { status, body } = await blog.call("GET", path);
      expect([path, status, body.meta?.total]).toEqual([path, 200, 3]);
    }
    expect(compared() - before).toBeGreaterThanOrEqual(5);
    expect(rows).toHaveLength(3);
    expect(blog.logged).toEqual([]);
  } finally {
    await blog.close();
  }
});
