import { callerOf, type Hook } from "@servicekit/service";
import type { Post } from "../../generated/prisma/client.js";

/** Runs between validation and the database: it may set what clients may not. */
export const beforeCreateOne: Hook<"beforeCreateOne", Post> = (request, _response, next) => {
  request.body.slug = slugOf(request.body.title ?? "");
  request.body.ownerId = Number(callerOf(request)?.id);
  next();
};

function slugOf(title: string): string {
  const words = title.normalize("NFKD").toLowerCase().match(/[a-z0-9]+/g) ?? ["post"];
  return `${words.join("-")}-${Date.now().toString(36)}`;
}
