// Opens streams of events and measures the delay of their events: the field `weight` contains the time of the write.
import http from "node:http";
import { serveParent } from "./parent-channel.js";

const [port = "", token = "", kind = "", count = "0"] = process.argv.slice(2);

/** The filter of each stream, by the kind. */
const filters: Readonly<Record<string, (place: number) => string>> = {
  "one filter": () => "stock[gte]=0",
  "own rows": (place) => `stock=${place}`,
  "many filters": (place) => `price[gte]=${(place / 100).toFixed(2)}`,
};

let delays: number[] = [];
const isReady = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", path, agent: false, headers: { authorization: `Bearer ${token}` } };
    http
      .get(options, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`${path} returned ${response.statusCode}.`));
        let rest = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          const blocks = (rest + text).split("\n\n");
          rest = blocks.pop() ?? "";
          const now = Date.now();
          for (const block of blocks) {
            if (block.includes("event: ready")) resolve();
            const [, time] = /"weight":(\d+)/.exec(block) ?? [];
            if (time !== undefined) delays.push(now - Number(time));
          }
        });
        return undefined;
      })
      .on("error", reject);
  });

for (let place = 0; place < Number(count); place += 50) {
  const paths = Array.from({ length: Math.min(50, Number(count) - place) }, (_, index) =>
    filters[kind]?.(place + index),
  );
  await Promise.all(paths.map((filter) => isReady(`/api/products/events?fields=id,weight&${filter}`)));
}

/** A percentile of the delays in milliseconds, or for `"received"` their number; `"reset"` forgets them. */
serveParent(0, (question) => {
  const known = delays;
  if (question === "reset") delays = [];
  if (typeof question !== "number") return known.length;
  return [...known].sort((one, other) => one - other)[Math.floor((known.length - 1) * question)] ?? Number.NaN;
});
