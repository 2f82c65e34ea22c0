import { expect } from "vitest";
import { form, type Part } from "./samples.js";
import type { Served } from "./serve.js";

/** Sends a form with files of a category. */
export const post = (served: Served, category: string, ...parts: Part[]): Promise<Response> =>
  fetch(`${served.origin}/api/uploads/${category}`, { method: "POST", body: form(...parts) });

/** Uploads one valid file and returns its path. */
export async function stored(
  served: Served,
  category: string,
  part: Part,
): Promise<{ pathname: string; name: string }> {
  const response = await post(served, category, part);
  expect(response.status).toBe(201);
  return (await response.json()).data;
}
