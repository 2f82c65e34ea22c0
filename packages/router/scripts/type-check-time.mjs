/**
 * Compares how long 500 declared routes and 500 plain Express routes take to type-check. Run it manually: `node
 * packages/router/scripts/type-check-time.mjs`. The ratio should stay under 3.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const work = join(here, "..", ".type-check-time");
const root = join(here, "..", "..", "..");

const plain = (index) => `
const body${index} = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) });
router.post("/things${index}/:id/parts/:part", (request, response) => {
  const body = body${index}.parse(request.body);
  response.json({ id: request.params.id, part: request.params.part, name: body.name, age: body.age });
});`;

const declared = (index) => `
const body${index} = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) });
router.post({ path: "/things${index}/:id/parts/:part", validation: { body: body${index} } }, (request, response) => {
  const { body } = request;
  response.json({ id: request.params.id, part: request.params.part, name: body.name, age: body.age });
});`;

function measure(name, header, route) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "routes.ts"), header + Array.from({ length: 500 }, (_, index) => route(index)).join("\n"));
  const settings = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: { composite: false, incremental: false, noEmit: true, declaration: false, declarationMap: false },
    include: ["routes.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", folder], { stdio: "inherit" });
    return performance.now() - start;
  });
  return Math.min(...times);
}

try {
  const before = measure(
    "plain",
    `import { Router } from "express";\nimport { z } from "zod";\nconst router = Router();`,
    plain,
  );
  const ours = measure(
    "declared",
    `import { ServiceRouter } from "../../src/index.js";\nimport { z } from "zod";\nconst router = ServiceRouter();`,
    declared,
  );
  console.log(`plain ${before.toFixed(0)} ms, declared ${ours.toFixed(0)} ms, ratio ${(ours / before).toFixed(2)}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
