import { z } from "zod";

// Rules in addition to those of the columns. A loose schema does not allow more fields.
const text = z.string().trim().min(1).max(2000);

export const create = z.looseObject({ text });
export const update = create.partial();
