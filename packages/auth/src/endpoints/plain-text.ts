import { isPlainText, plainTextRule } from "@servicekit/prisma/internal";
import { z } from "zod";

/** A text that the database can hold and a comparison can tell from others. */
export const plainTextSchema = z
  .string()
  .min(1)
  .max(1000)
  .check(({ value, issues }) => {
    if (!isPlainText(value)) issues.push({ code: "custom", input: value, message: plainTextRule });
  });
