import { expect, it } from "vitest";
import { linkHeader } from "./link-header.js";

it("C1 preserves the other parameters and replaces the page", () => {
  const header = linkHeader("/api/tracks?name__icontains=a%26b&page=2&limit=5", {
    parameter: "page",
    targets: { first: "1", next: "3" },
  });
  expect(header).toBe(
    '</api/tracks?name__icontains=a%26b&limit=5&page=1>; rel="first", ' +
      '</api/tracks?name__icontains=a%26b&limit=5&page=3>; rel="next"',
  );
});

it("escapes text of a client that would end a link early", () => {
  const header = linkHeader('/api/t?a=">;b', { parameter: "page", targets: { first: "1" } });
  expect(header).toBe('</api/t?a=%22%3E;b&page=1>; rel="first"');
});
