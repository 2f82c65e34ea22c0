import { type StoredField } from "@servicekit/prisma";
import { fieldRule } from "@servicekit/prisma/internal";

export type Random = () => number;

export const below = (random: Random, max: number): number => Math.floor(random() * max);

/** Creates values that columns store exactly, in the form of responses (contract C4). */
export function makeValues(random: Random): (field: StoredField) => unknown {
  let made = 0;
  const digits = (count: number): string => Array.from({ length: count }, () => below(random, 10)).join("");
  const hex = (count: number): string => Array.from({ length: count }, () => below(random, 16).toString(16)).join("");
  const letters = (count: number): string =>
    Array.from({ length: count }, () => alphabet[below(random, alphabet.length)]).join("");
  const decimal = (integer: number, fraction: number, isPadded: boolean): string => {
    const before = String(Number(digits(Math.min(integer, 9))));
    const after = isPadded ? digits(fraction) : `${digits(3)}5`;
    return `${random() < 0.3 && before !== "0" ? "-" : ""}${before}${after === "" ? "" : `.${after}`}`;
  };
  const one = (field: StoredField): unknown => {
    const rule = fieldRule(field);
    made++;
    switch (rule.kind) {
      case "text":
        return letters(Math.min(rule.maxCharacters ?? 14, 14));
      case "uuid":
        return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
      case "inet":
        return `10.${below(random, 256)}.${below(random, 256)}.${below(random, 256)}`;
      case "xml":
        return `<a n="${made}">${letters(5)}</a>`;
      case "bits":
        return Array.from({ length: rule.length ?? 8 }, () => below(random, 2)).join("");
      case "enum":
        return rule.values[made % rule.values.length];
      case "boolean":
        return random() < 0.5;
      case "integer": {
        if (rule.isBig) return `${random() < 0.5 ? "-" : ""}${1 + below(random, 9)}${digits(17)}`;
        const max = Number(rule.max);
        return below(random, max) * (rule.min < 0n && random() < 0.5 ? -1 : 1) || 1;
      }
      case "float":
        return below(random, 2 ** 20) / 8 + 0.125;
      case "decimal":
        return decimal(rule.integer, rule.fraction, field.nativeType !== undefined);
      case "date": {
        const time = below(random, 4_000_000_000) * 1000 + below(random, 1000);
        const text = new Date(time).toISOString();
        if (rule.part === "day") return `${text.slice(0, 10)}T00:00:00.000Z`;
        const moment = `${text
          .slice(0, -1)
          .slice(0, 20 + rule.places)
          .padEnd(23, "0")}Z`;
        return rule.part === "time" ? `1970-01-01${moment.slice(10)}` : moment;
      }
      case "bytes":
        return Buffer.from(hex(12), "hex").toString("base64");
      case "json":
        return random() < 0.5 ? letters(8) : { [letters(4)]: [1, null, { constructor: true, "": letters(3) }] };
    }
  };
  return (field) => (field.isList ? [one(field), one(field)] : one(field));
}

const alphabet = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.ßÄé日"];
