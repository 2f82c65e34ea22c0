import { type FaultPlace, type FieldFault } from "@servicekit/core";
import { fromJsonPointer, maxErrors } from "@servicekit/core/internal";

/** What a validator makes of a value. */
export type Verdict =
  | { readonly valid: true; readonly value: unknown }
  | {
      readonly valid: false;
      readonly faults: readonly FieldFault[];
      /** What the schema made of the keys that no fault names, where it checks each key by itself. */
      readonly sound?: Readonly<Record<string, unknown>>;
    };

/** Checks one part of a request; asynchronous only where the schema is. */
export type Validator = (value: unknown, place: FaultPlace) => Verdict | Promise<Verdict>;

/** One more than a response lists, so that it reports that there are more. */
export const mostFaults = maxErrors + 1;

/** Faults without repetitions: of two limits of one value, the last stays, which is the narrower one. */
export function distinctFaults(faults: readonly FieldFault[]): readonly FieldFault[] {
  const keyOf = ({ path, code, message }: FieldFault): string =>
    JSON.stringify(code === "TooBig" || code === "TooSmall" ? [path, code] : [path, code, message]);
  return faults.length < 2 ? faults : [...new Map(faults.map((fault) => [keyOf(fault), fault])).values()];
}

/** The keys of an object that no fault names; `undefined` where there are none, or a fault is of the whole. */
export function soundKeys(
  value: unknown,
  faults: readonly FieldFault[],
): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || faults.some(({ path }) => path === "")) return undefined;
  const named = new Set(faults.map(({ path }) => fromJsonPointer(path)[0]));
  const sound = Object.entries(value).filter(([key]) => !named.has(key));
  return sound.length === 0 ? undefined : Object.fromEntries(sound);
}
