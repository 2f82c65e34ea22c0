import { expect, it } from "vitest";
import { limitUnread } from "./unread-limit.js";

it("C133 disconnects the clients that have not read for longest while all together exceed the limit", () => {
  const limit = limitUnread(100);
  const disconnected: string[] = [];
  const unread = (name: string, bytes: number) => ({
    bytes: () => bytes,
    disconnect: () => void disconnected.push(name),
  });
  const [a, b, c] = [unread("a", 40), unread("b", 40), unread("c", 20)];
  for (const one of [a, b, c, c]) limit.add(one);
  expect(disconnected).toEqual([]);
  limit.add(unread("d", 50));
  expect(disconnected).toEqual(["a", "b"]);
  limit.remove(c);
  limit.add(unread("e", 50));
  expect(disconnected).toEqual(["a", "b"]);
  limit.add(unread("f", 101));
  expect(disconnected).toEqual(["a", "b", "d", "e", "f"]);
});
