// Plain JavaScript outside `src` and `dist`, so that a worker thread can load it from either.
import { parentPort } from "node:worker_threads";
import { compareSync, hashSync } from "bcryptjs";

parentPort.on("message", ({ password, cost, hash }) => {
  try {
    parentPort.postMessage({ result: hash === undefined ? hashSync(password, cost) : compareSync(password, hash) });
  } catch (error) {
    parentPort.postMessage({ error: String(error) });
  }
});
