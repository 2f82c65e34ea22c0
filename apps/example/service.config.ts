import type { ServiceConfig } from "@servicekit/service";
import { welcomeMessage } from "./src/welcome-message.js";

/** Scalar's colors of methods and code, with a contrast of at least 4.5. */
const readableColours = `
.light-mode { --scalar-color-2: #555555; --scalar-color-3: #5c5c5c; --scalar-color-green: #0a6638; --scalar-color-red: #b3261e; --scalar-color-yellow: #755700;
  --scalar-color-blue: #0a5ea8; --scalar-color-orange: #944700; --scalar-color-purple: #6b3fa0; }
.dark-mode { --scalar-color-3: #b0b0b0; --scalar-color-green: #5fd38d; --scalar-color-red: #ff8f86; --scalar-color-yellow: #ffd666;
  --scalar-color-blue: #7cc0ff; --scalar-color-orange: #ffb066; --scalar-color-purple: #c6a3ff; }
`;

/** The static configuration of the shop; the rest is in src/app.ts. */
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
        tags: [{ name: "Reports", description: "Sales reports." }],
      },
      tryItOutEnabled: true,
    },
    referenceUiConfiguration: { theme: "default", customCss: readableColours },
  },
  // Superusers manage webhooks; for a receiver on this machine: SERVICE_WEBHOOKS_ALLOW=localhost npm start
  webhooks: {},
  fileUpload: { restrictions: { images: { maxCount: 10, maxSize: 5 * 1024 * 1024 } } },
} satisfies ServiceConfig;
