/** The figures of one of several workers, in the text format of Prometheus. */
export type WorkerFigures = readonly [worker: number, text: string];

/** A sample: its name, its labels where it has any, and its value. */
const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (.+)$/;

/**
 * The figures of several workers as one text: each sample says which worker it is of, so that a counter that begins anew with a
 * worker is a reset to Prometheus; all samples of a figure stand together, as the format wants it.
 */
export function joinFigures(all: readonly WorkerFigures[]): string {
  const families = new Map<string, string[]>();
  for (const [worker, text] of all) {
    let family: string[] | undefined;
    for (const line of text.split("\n")) {
      const [, name] = /^# HELP (\S+)/.exec(line) ?? [];
      if (name !== undefined) {
        family = families.get(name) ?? [];
        // What it is stands there once.
        if (family.length === 0) family.push(line);
        families.set(name, family);
      } else if (line.startsWith("#")) {
        if (family !== undefined && !family.includes(line)) family.push(line);
      } else {
        const [, of, labels = "", value] = sample.exec(line) ?? [];
        if (of !== undefined) family?.push(`${of}{${labels}${labels === "" ? "" : ","}worker="${worker}"} ${value}`);
      }
    }
  }
  return [...families.values()].flat().concat("").join("\n");
}
