import type { ModelConfig } from "@servicekit/service";

/**
 * Reports of sales (`GET /api/orders/aggregate`), all orders as a file, and recorded changes: the history of an order, live
 * updates of lists, the subscriber in order.events.ts, and webhooks.
 */
export default {
  aggregate: true,
  export: true,
  changes: { history: true, events: true },
} satisfies ModelConfig;
