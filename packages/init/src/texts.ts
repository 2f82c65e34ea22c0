/** The package that written files import; it depends on this one. */
export const umbrella = "@servicekit/service";
const guides = "https://github.com/servicekit/servicekit/blob/main/docs";

export const configText = `// Settings. Every key: ${guides}/reference/configuration.md
import { defineConfig } from "${umbrella}";

export default defineConfig({
  authentication: {
    mode: "static",
    accounts: false,
    // Returns the caller of a request, such as { id, roles }: ${guides}/guides/identity-providers.md
    // For accounts of the service remove "accounts" and "identify": ${guides}/guides/accounts.md
    identify: () => undefined,
  },
  apidocs: { mode: "orm" },
});
`;

export const tsconfigText = `{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["es2023"],
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["src", "*.config.ts"]
}
`;
