import http from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { serveParent } from "./parent-channel.js";

// A separate process, so that the sender of other requests does not affect the times.
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

/** The duration of the slowest response since the last message, in milliseconds. */
let slowest = 0;
await sendOne();
serveParent(0, () => {
  const reply = slowest;
  slowest = 0;
  return reply;
});
while (true) {
  const began = performance.now();
  await sendOne();
  slowest = Math.max(slowest, performance.now() - began);
  await wait(2);
}
