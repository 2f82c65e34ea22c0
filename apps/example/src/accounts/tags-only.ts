import { callerOf, httpErrors, type RequestHandler } from "@servicekit/service";

const tags: ReadonlySet<string> = new Set(["note", "deliverBy"]);

/** Customers change only the requested fields of their orders, not price or state: one by one or in bulk. */
export function makeTagsOnly(customerRole: string): RequestHandler {
  return function tagsOnly(request, _response, next) {
    const caller = callerOf(request);
    const isStaff = caller?.isSuperUser === true || caller?.roles.some((role) => role !== customerRole) === true;
    const other = isStaff ? undefined : namesOf(request.body).find((name) => !tags.has(name));
    if (other !== undefined) throw httpErrors.Forbidden("Customers change note and deliverBy of an order.");
    next();
  };
}

/** The changes of a body: one row, or a list of rows with ids. */
function namesOf(body: unknown): readonly string[] {
  if (!Array.isArray(body)) return Object.keys(body as object);
  return body.flatMap((item) => Object.keys(item as object)).filter((name) => name !== "id");
}
