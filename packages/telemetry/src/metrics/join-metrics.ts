/** The metrics of one of several workers, in the text format of Prometheus. */
export type WorkerMetrics = readonly [worker: number, text: string];

/** A sample: its name, its labels if any, and its value. */
const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (.+)$/;

/**
 * Joins the metrics of several workers. Each sample has the label of its worker, so that a counter that restarts with a
 * worker is a reset to Prometheus. All samples of a metric are adjacent, as the format requires.
 */
export function joinMetrics(all: readonly WorkerMetrics[]): string {
  const families = new Map<string, string[]>();
  for (const [worker, text] of all) {
    let family: string[] | undefined;
    for (const line of text.split("\n")) {
      const [, name] = /^# HELP (\S+)/.exec(line) ?? [];
      if (name !== undefined) {
        family = families.get(name) ?? [];
        // Its HELP and TYPE lines appear once.
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
