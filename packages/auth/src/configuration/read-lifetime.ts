const seconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** A lifetime above ten years is probably a mistake. */
const longest = 3650 * 86_400;

/** The seconds of a lifetime such as `30d`, `12h`, `15m`, `3600s` or `3600`; `undefined` if it is invalid. */
export function readLifetime(text: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d{1,10})\s*([smhd]?)$/.exec(text.trim()) ?? [];
  const lifetime = Number(amount) * (seconds[unit] ?? 0);
  return lifetime > 0 && lifetime <= longest ? lifetime : undefined;
}
