import type { ModelConfig } from "@servicekit/service";

/** Reports of sales: `GET /api/orders/aggregate`. */
export default { aggregate: true } satisfies ModelConfig;
