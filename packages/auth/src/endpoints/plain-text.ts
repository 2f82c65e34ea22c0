import { isPlainText, plainTextRule } from "@servicekit/prisma/internal";
import { z } from "zod";
import { maxLoginName } from "../users/login-names.js";

/** A string that the database can store and compare unambiguously. */
export const plainTextSchema = z
  .string()
  .min(1)
  .max(maxLoginName)
  .check(({ value, issues }) => {
    if (!isPlainText(value)) issues.push({ code: "custom", input: value, message: plainTextRule });
  });
