import type { Model } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";

/** Prisma rounds numbers with more digits than these: in lists always, single numbers from 2^53 on. */
export const exactDigits = 15;

/** A floating-point number in the shape of a decimal, which Prisma passes on unchanged. */
class ExactFloat {
  readonly s: number;
  readonly e: number;
  readonly d: readonly number[] = [];
  readonly #value: number;

  constructor(value: number) {
    this.s = Math.sign(value);
    this.e = Math.floor(Math.log10(Math.abs(value)));
    this.#value = value;
    Object.freeze(this);
  }

  toFixed(): string {
    return String(this.#value);
  }
}

/** The number, or the numbers of a list, in a form that Prisma does not round; anything else unchanged. */
export function exactFloat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exactFloat);
  return typeof value === "number" && !isShortNumber(value) ? new ExactFloat(value) : value;
}

/** Whether Prisma preserves a number everywhere. */
export function isShortNumber(value: number): boolean {
  if (Number.isSafeInteger(value) || !Number.isFinite(value)) return true;
  const [digits = ""] = String(value).split("e");
  return digits.replace(/^[-0.]+|\./g, "").length <= exactDigits;
}

/** The same values of a model's fields, with floating-point numbers in a form that Prisma does not round. */
export function exactFloats(model: Model, values: Clause): Clause {
  let exact: Record<string, unknown> | undefined;
  for (const { name, type } of model.fields) {
    if (type !== "Float" || !Object.hasOwn(values, name)) continue;
    const value = exactFloat(values[name]);
    if (value === values[name]) continue;
    exact ??= { ...values };
    exact[name] = value;
  }
  return exact ?? values;
}
