const inData = Symbol("servicekit.listInData");

/** Whether a bulk create comes as `{ "data": […] }` (contract C14). */
export function isListInData(input: unknown): input is { readonly data: readonly unknown[] } {
  if (typeof input !== "object" || input === null || !("data" in input)) return false;
  return Array.isArray(input.data) && Object.keys(input).length === 1;
}

/** Remembers of a list that it came so: later faults of its items stand there. */
export function markAsInData<T>(list: T): T {
  if (Array.isArray(list)) Object.defineProperty(list, inData, { value: true });
  return list;
}

/** Where in the body a list of items stood. */
export const placeOfList = (list: object): readonly string[] => (inData in list ? ["data"] : []);
