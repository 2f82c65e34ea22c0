const inData = Symbol("servicekit.listInData");

/** Whether a bulk create was sent as `{ "data": […] }` (contract C14). */
export function isListInData(input: unknown): input is { readonly data: readonly unknown[] } {
  if (typeof input !== "object" || input === null || !("data" in input)) return false;
  return Array.isArray(input.data) && Object.keys(input).length === 1;
}

/** Records that a list was sent this way, for the places of later errors. */
export function markAsInData<T>(list: T): T {
  if (Array.isArray(list)) Object.defineProperty(list, inData, { value: true });
  return list;
}

/** The place of a list of items in the body. */
export const placeOfList = (list: object): readonly string[] => (inData in list ? ["data"] : []);
