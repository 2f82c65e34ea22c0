import type { Resource } from "../resource/resource.js";

/** The words for the rows of a model: `an order item`, `order item`, `order items`. */
export interface Words {
  readonly a: string;
  readonly one: string;
  readonly many: string;
}

export function wordsOf({ model, path }: Pick<Resource, "model" | "path">): Words {
  const one = model.resource.replaceAll("-", " ");
  return { a: `${/^[aeiou]/.test(one) ? "an" : "a"} ${one}`, one, many: path.replaceAll("-", " ") };
}
