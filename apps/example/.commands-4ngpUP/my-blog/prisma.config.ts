// What Prisma's own command line reads; `service` reads the same places.
import { defineConfig } from "prisma/config";

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations", seed: "service seed" },
});
