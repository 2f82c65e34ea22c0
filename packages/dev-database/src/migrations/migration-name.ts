/**
 * Creates the folder name of a new migration, `<timestamp>_<words>`, which is a safe path for any words. Names sort in
 * the order of the migrations, so its time is later than that of the last name.
 */
export function migrationName(words: string, last: string | undefined): string {
  const ending = words
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .slice(0, 80)
    .replace(/^_|_$/g, "");
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_/
    .exec(last ?? "")
    ?.slice(1)
    .map(Number);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = digits ?? [];
  const time = Math.max(Date.now(), Date.UTC(year, month - 1, day, hour, minute, second + 1));
  const stamp = new Date(time).toISOString().replace(/\D/g, "").slice(0, 14);
  return `${stamp}_${ending === "" ? "migration" : ending.toLowerCase()}`;
}
