import { expect, it } from "vitest";
import { senderOf } from "./sender-of.js";

it.each([
  [{ auth: { user: "a@example.com" } }, { address: "a@example.com" }],
  [
    { auth: { user: "a@example.com" }, name: "Shop" },
    { address: "a@example.com", name: "Shop" },
  ],
  [
    { auth: { user: "apikey" }, from: "b@example.com", name: "Shop" },
    { address: "b@example.com", name: "Shop" },
  ],
  [{ auth: { user: "apikey" }, name: "shop@example.com" }, { address: "shop@example.com" }],
  [
    { auth: { user: "apikey" }, name: "The Shop <shop@example.com>" },
    { address: "shop@example.com", name: "The Shop" },
  ],
  [
    { auth: { user: "a@example.com" }, name: "Shop <shop@example.com>" },
    { address: "a@example.com", name: "Shop" },
  ],
  [{ auth: { user: "apikey" }, name: "Shop" }, undefined],
  [{ auth: { user: "apikey" } }, undefined],
  [{ auth: { user: "apikey" }, name: "Shop <shop>" }, undefined],
])("reads the sender of %j from the first setting with an address", (settings, sender) => {
  expect(senderOf(settings)).toEqual(sender);
});
