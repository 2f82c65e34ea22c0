import { z } from "zod";

// What the columns do not say already; a schema that is loose opens nothing.
const title = z.string().trim().min(3).max(160);
const content = z.string().trim().min(1).max(50_000);

export const create = z.looseObject({ title, content });
export const update = create.partial();
