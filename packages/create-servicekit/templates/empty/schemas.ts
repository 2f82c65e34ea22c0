import { z } from "zod";

// What the columns do not say already; a schema that is loose opens nothing.
const text = z.string().trim().min(1).max(2000);

export const create = z.looseObject({ text });
export const update = create.partial();
