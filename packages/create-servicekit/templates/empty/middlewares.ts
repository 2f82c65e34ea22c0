//: if accounts
import { type Hook, userIdOf } from "@servicekit/service";
//: else
import type { Hook } from "@servicekit/service";
//: end
import type { Note } from "../../generated/prisma/client.js";

//: if accounts
/** Runs between validation and the database. It may set fields that clients cannot set. */
export const beforeCreateOne: Hook<"beforeCreateOne", Note> = (request, _response, next) => {
  request.body.ownerId = Number(userIdOf(request) ?? 0);
  next();
};
//: else
/** Runs between validation and the database. It may change the written values. */
export const beforeCreateOne: Hook<"beforeCreateOne", Note> = (request, _response, next) => {
  request.body.text = request.body.text?.replaceAll(/\s+/g, " ");
  next();
};
//: end
