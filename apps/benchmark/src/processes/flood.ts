import { type Flood, flood } from "../overload/send-open-loop.js";

// A separate process, so that a busy server does not slow down the clients.
process.on("message", (question) => {
  void flood(question as Flood).then((reported) => process.send?.(reported));
});
process.on("disconnect", () => process.exit(0));
process.send?.(0);
