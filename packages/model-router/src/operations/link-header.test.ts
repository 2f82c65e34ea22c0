import { expect, it } from "vitest";
import { linkHeader } from "./link-header.js";

it("C1 preserves the other parameters and replaces the page", () => {
  const header = linkHeader("/api/tracks?name__icontains=a%26b&page=2&limit=5", {
    first: { page: 1 },
    next: { page: 3 },
  });
  expect(header).toBe(
    '</api/tracks?name__icontains=a%26b&limit=5&page=1>; rel="first", ' +
      '</api/tracks?name__icontains=a%26b&limit=5&page=3>; rel="next"',
  );
});

it("escapes text of a client that would end a link early", () => {
  const header = linkHeader('/api/t?a=">;b', { first: { page: 1 } });
  expect(header).toBe('</api/t?a=%22%3E;b&page=1>; rel="first"');
});

it("C125 replaces the page by a cursor", () => {
  expect(linkHeader("/api/t?page=60&limit=5", { next: { cursor: "a=" } })).toBe(
    '</api/t?limit=5&cursor=a%3D>; rel="next"',
  );
});
