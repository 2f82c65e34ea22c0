import { expect } from "vitest";
import { form, type Part } from "./samples.js";
import type { Served } from "./serve.js";

/** Sends a form with files of a category. */
export const post = (served: Served, category: string, ...parts: Part[]): Promise<Response> =>
  fetch(`${served.origin}/api/uploads/${category}`, { method: "POST", body: form(...parts) });

/** Sends one file that is taken, and tells where it is. */
export async function stored(
  served: Served,
  category: string,
  part: Part,
): Promise<{ pathname: string; name: string }> {
  const answer = await post(served, category, part);
  expect(answer.status).toBe(201);
  return (await answer.json()).data;
}
