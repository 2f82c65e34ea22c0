#!/usr/bin/env node
// Checked before any import, because older versions of Node cannot load what is imported.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `servicekit-prisma requires Node 20.19 or later. This is Node ${process.versions.node}: install a later version.`,
  );
  process.exit(1);
}
await import("@servicekit/prisma/servicekit-prisma");
