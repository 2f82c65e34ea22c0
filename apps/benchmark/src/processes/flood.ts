import { type Flood, flood } from "../overload/send-open-loop.js";

// A process of its own: what the server is busy with must not slow the clients down.
process.on("message", (question) => {
  void flood(question as Flood).then((told) => process.send?.(told));
});
process.on("disconnect", () => process.exit(0));
process.send?.(0);
