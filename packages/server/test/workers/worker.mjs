// A worker for tests: does what its environment sets and the test sends.
const worker = Number(process.env.SERVICEKIT_WORKER);
const mode = process.env.TEST_WORKER_MODE;

if (mode === "fails") process.exit(3);
if (mode === "first-only" && worker > 1) process.exit(4);
process.on("SIGTERM", () => {
  if (mode !== "stubborn") process.exit(mode === "unclean" ? 1 : 0);
});
process.on("message", (message) => {
  if (message.test === "exit") process.exit(message.code);
  if (message.test === "send") process.send(message.message);
  if (message.servicekit === "report" && mode !== "silent")
    process.send({ servicekit: "text", id: message.id, text: `text of ${worker}` });
  if (message.servicekit !== undefined) process.send({ test: "received", worker, message });
});
process.send({ test: "started", worker });
process.send({ servicekit: "ready" });
