import { type DispatcherName, dispatchers } from "../dispatch/dispatchers.js";
import { routePaths, type Target, targetUrls } from "../dispatch/routes.js";
import { cpuTime, serveParent } from "./parent-channel.js";

const [name, count] = process.argv.slice(2);
const paths = routePaths(Number(count));
let handled = 0;
let reached: unknown;
const dispatch = await dispatchers[name as DispatcherName](paths, (request) => {
  handled++;
  reached = request.route?.path;
});

serveParent(0, (question) => {
  const { target, count } = question as { readonly target: Target; readonly count: number };
  const urls = targetUrls(target, paths);
  checkReached(urls);
  handled = 0;
  const before = cpuTime();
  for (let at = 0; at < count; at++) dispatch(urls[at % urls.length] as string);
  const time = cpuTime() - before;
  if (handled !== count) throw new Error(`Of ${count} requests, ${handled} came to a handler.`);
  return time;
});

function checkReached(urls: readonly string[]): void {
  for (const url of urls) {
    dispatch(url);
    const expected = url.replace("4711", ":id");
    if (reached !== expected) throw new Error(`${url} came to ${String(reached)}.`);
  }
}
