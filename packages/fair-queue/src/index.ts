export { type FairQueue, type FairQueueOptions, makeFairQueue, type QueueLoad } from "./fair-queue.js";
