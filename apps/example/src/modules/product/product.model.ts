import type { ModelConfig } from "@servicekit/service";

/** Customers find a tent by "tents", and the name counts more than the description. */
export default {
  // The catalog as a file: `GET /api/products` with `Accept: text/csv`, and `POST /api/products/many` with CSV.
  export: true,
  import: true,
  search: { fields: ["name", "description"], language: "english" },
} satisfies ModelConfig;
