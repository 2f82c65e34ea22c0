import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent, cpuTime } from "./answer-parent.js";

// Only what a side needs is imported, for that is what is measured.
const [side = "", shop = ""] = process.argv.slice(2);
const server =
  side === "service"
    ? await (await import("../boot/by-service.js")).bootByService(shop)
    : await (await import("../boot/by-hand.js")).bootByHand(shop);
report(server);

function report(listening: Server): void {
  if ((listening.address() as AddressInfo).port === 0) throw new Error("It does not listen.");
  answerParent(cpuTime(), cpuTime);
}
