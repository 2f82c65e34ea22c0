import type { ServiceConfig } from "@servicekit/service";
import { welcomeMessage } from "./src/welcome-message.js";

/** What can be said of the shop without its running parts; those are in src/app.ts. */
export default {
  welcomeMessage,
  validation: { resolver: "zod" },
  apidocs: {
    mode: "orm",
    options: {
      definition: {
        info: {
          title: "Harbour & Pine",
          version: "1.0.0",
          description:
            "A small shop for the outdoors and the kitchen: products, orders, customers and what moves them.",
          contact: { name: "The shop", url: "https://example.com/" },
        },
        tags: [{ name: "Reports", description: "What the shop wants to know." }],
      },
      tryItOutEnabled: true,
    },
    referenceUiConfiguration: { theme: "moon" },
  },
  fileUpload: { restrictions: { images: { maxCount: 10, maxSize: 5 * 1024 * 1024 } } },
} satisfies ServiceConfig;
