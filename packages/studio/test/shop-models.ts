import type { ApiDocument } from "../app/src/model/document.js";
import { toModels } from "../app/src/model/model-info.js";

const operations = ["findMany", "findOne", "createOne", "updateOne"].map((name) => ({
  name,
  method: "GET",
  path: "/api/order-items",
  ...(name === "updateOne" ? { allowed: false } : {}),
}));
const field = (name: string, type: string, more: object = {}) => ({
  ...{ name, type, required: true, unique: false, list: false },
  ...more,
});
/** The models of a small shop, as the studio reads them from discovery. */
export const models = toModels([
  {
    name: "order-item",
    path: "/api/order-items",
    key: ["orderId", "line"],
    fields: [
      field("orderId", "Int"),
      field("line", "Int"),
      field("price", "Decimal"),
      field("note", "String", { required: false }),
      field("tags", "String", { list: true }),
      field("extra", "Json", { required: false }),
      field("day", "DateTime"),
      field("state", "State", { values: ["A", "B"] }),
      field("order", "Order", { relation: "order", references: { orderId: "id" }, opposite: "items" }),
    ],
    operations,
  },
  {
    name: "order",
    path: "/api/orders",
    key: ["id"],
    fields: [field("id", "Int"), field("title", "String")],
    operations,
  },
]);
export const [item, order] = models as [(typeof models)[number], (typeof models)[number]];

/** The document of the same shop. */
export const document: ApiDocument = {
  paths: {
    "/api/order-items": {
      post: {
        requestBody: {
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/ItemCreate" } },
            "multipart/form-data": {
              schema: {
                properties: {
                  note: { type: "string", format: "binary", description: "A file, of the types png." },
                  "extra[scans]": { type: "array", items: { type: "string", format: "binary" } },
                  price: { type: "string" },
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      ItemCreate: {
        allOf: [
          { $ref: "#/components/schemas/ItemFields" },
          {
            anyOf: [
              { properties: { orderId: {} }, required: ["orderId"] },
              { properties: { order: {} }, required: ["order"] },
            ],
          },
        ],
        properties: { order: { type: "object" } },
        required: ["price"],
      },
      ItemFields: {
        properties: {
          orderId: { type: "integer", maximum: 100 },
          price: { anyOf: [{ type: "string", pattern: "^\\d+(\\.\\d{1,2})?$" }, { type: "number" }] },
          note: { type: ["string", "null"], maxLength: 5 },
          day: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$" },
          tags: { type: "array", items: { type: "string" } },
          token: { type: "string" },
        },
      },
    },
  },
};
