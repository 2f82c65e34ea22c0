import http from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { serveParent } from "./parent-channel.js";

// A process of its own: what the sender of other requests is busy with must not count.
const [url = ""] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function sendOne(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      response.resume();
      response.once("end", resolve);
    });
    request.once("error", reject);
  });
}

/** Milliseconds of the slowest answer since the last question. */
let slowest = 0;
await sendOne();
serveParent(0, () => {
  const answer = slowest;
  slowest = 0;
  return answer;
});
while (true) {
  const began = performance.now();
  await sendOne();
  slowest = Math.max(slowest, performance.now() - began);
  await wait(2);
}
