import type { Models } from "@servicekit/prisma";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import type { Setup } from "./cases.js";
import { drawFeatures } from "./features.js";
import { drawRows } from "./rows.js";

/**
 * Draws a configuration and rows.
 *
 * @param isRequired the keys of features that an invariant needs in every model that can have them
 */
export const drawSetup = (
  draw: Draw,
  provider: TestedProvider,
  models: Models,
  isRequired?: ReadonlySet<string>,
): Setup => ({
  provider,
  features: drawFeatures(draw, provider, models, isRequired),
  rows: drawRows(draw, provider, models),
});
