import { z } from "zod";

// Rules in addition to those of the columns. A loose schema does not allow more fields.
const title = z.string().trim().min(3).max(160);
const content = z.string().trim().min(1).max(50_000);

export const create = z.looseObject({ title, content });
export const update = create.partial();
