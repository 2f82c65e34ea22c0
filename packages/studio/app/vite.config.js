import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  resolve: { conditions: ["servicekit-source", "module", "browser", "production"] },
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2023",
    // One request less, and no style that a policy would have to let through.
    cssCodeSplit: false,
    // Links that are made later would need the nonce of the page.
    modulePreload: false,
    assetsInlineLimit: 0,
    license: { fileName: "LICENSES.md" },
    manifest: "manifest.json",
    rolldownOptions: { input: "src/main.tsx", output: { codeSplitting: true } },
  },
});
