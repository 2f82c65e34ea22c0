//: if accounts
import { type Hook, userIdOf } from "@servicekit/service";
//: else
import type { Hook } from "@servicekit/service";
//: end
import type { Post } from "../../generated/prisma/client.js";

/** Runs between validation and the database. It may set fields that clients cannot set. */
export const beforeCreateOne: Hook<"beforeCreateOne", Post> = (request, _response, next) => {
  request.body.slug = slugOf(request.body.title ?? "");
//: if accounts
  request.body.ownerId = Number(userIdOf(request) ?? 0);
//: end
  next();
};

function slugOf(title: string): string {
  const plain = title.normalize("NFKD").toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? ["post"];
  return `${words.join("-")}-${Date.now().toString(36)}`;
}
