import type { Server } from "node:http";
import { ServiceRouter } from "@servicekit/service";
import { z } from "zod";
import { serveShopWithAccounts } from "../logins/by-service.js";

/** The built example with accounts, and an open route that accepts a body. */
export function serveCostsByService(example: string): Promise<Server> {
  const router = ServiceRouter();
  const part = z.object({ name: z.string(), amount: z.number(), mail: z.email(), at: z.iso.datetime() });
  router.post(
    {
      path: "/api/open",
      validation: {
        body: z.object({
          texts: z.array(z.string()).optional(),
          parts: z.array(part).optional(),
          either: z.array(z.union([part, z.object({ id: z.int() }), z.string()])).optional(),
          map: z.record(z.string(), z.string()).optional(),
        }),
      },
    },
    (_request, response) => response.status(204).end(),
  );
  return serveShopWithAccounts(example, { use: [router] });
}
