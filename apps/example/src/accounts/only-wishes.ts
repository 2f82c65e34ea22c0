import { callerOf, httpErrors, type RequestHandler } from "@servicekit/service";

const wishes: ReadonlySet<string> = new Set(["note", "deliverBy"]);

/** Of their orders, customers change what they wish for, and neither price nor state: one by one or several at once. */
export function makeOnlyWishes(customerRole: string): RequestHandler {
  return function onlyWishes(request, _response, next) {
    const caller = callerOf(request);
    const isStaff = caller?.isSuperUser === true || caller?.roles.some((role) => role !== customerRole) === true;
    const other = isStaff ? undefined : namesOf(request.body).find((name) => !wishes.has(name));
    if (other !== undefined) throw httpErrors.Forbidden("Customers change note and deliverBy of an order.");
    next();
  };
}

/** What a body changes: one row, or a list of rows that each name theirs. */
function namesOf(body: unknown): readonly string[] {
  if (!Array.isArray(body)) return Object.keys(body as object);
  return body.flatMap((item) => Object.keys(item as object)).filter((name) => name !== "id");
}
