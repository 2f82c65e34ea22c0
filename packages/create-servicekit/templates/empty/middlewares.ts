//: if accounts
import { type Hook, userIdOf } from "@servicekit/service";
//: else
import type { Hook } from "@servicekit/service";
//: end
import type { Note } from "../../generated/prisma/client.js";

//: if accounts
/** Runs between validation and the database: it may set what clients may not. */
export const beforeCreateOne: Hook<"beforeCreateOne", Note> = (request, _response, next) => {
  request.body.ownerId = Number(userIdOf(request) ?? 0);
  next();
};
//: else
/** Runs between validation and the database, and may change what is written. */
export const beforeCreateOne: Hook<"beforeCreateOne", Note> = (request, _response, next) => {
  request.body.text = request.body.text?.replaceAll(/\s+/g, " ");
  next();
};
//: end
