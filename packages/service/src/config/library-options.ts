import { isObject, nearestWord } from "@servicekit/core/internal";
import { z } from "zod";

/** Known keys of an object, with the keys of nested objects. */
type Keys = Readonly<Record<string, readonly string[]>>;

/** Options that are passed to a library; keys that the library would ignore are errors. */
function libraryOptions(keys: Keys): z.ZodType {
  return z.looseObject({}).check(({ value, issues }) => {
    for (const [key, given] of Object.entries(value)) {
      const inner = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (inner === undefined) issues.push({ ...unknownKey(key, Object.keys(keys)), path: [key] });
      else if (isObject(given)) {
        for (const name of Object.keys(given)) {
          if (!inner.includes(name)) issues.push({ ...unknownKey(name, inner), path: [key, name] });
        }
      }
    }
  });
}

function unknownKey(name: string, known: readonly string[]) {
  const near = nearestWord(name, known);
  const hint = near === undefined ? `; expected one of: ${known.join(", ") || "no keys"}.` : `. Did you mean ${near}?`;
  return { code: "custom" as const, message: `Unknown key${hint}`, input: name };
}

/** Options of the `cors` package except `origin`, which `allowedOrigins` sets. */
export const corsOptions = libraryOptions({
  methods: [],
  allowedHeaders: [],
  exposedHeaders: [],
  credentials: [],
  maxAge: [],
  preflightContinue: [],
  optionsSuccessStatus: [],
});

const policy = ["policy"] as const;
const strictTransportSecurity = ["maxAge", "includeSubDomains", "preload"] as const;

/** Options of `helmet`, in both of its spellings. */
export const helmetOptions = libraryOptions({
  contentSecurityPolicy: ["useDefaults", "directives", "reportOnly"],
  crossOriginEmbedderPolicy: policy,
  crossOriginOpenerPolicy: policy,
  crossOriginResourcePolicy: policy,
  originAgentCluster: [],
  referrerPolicy: policy,
  strictTransportSecurity,
  hsts: strictTransportSecurity,
  xContentTypeOptions: [],
  noSniff: [],
  xDnsPrefetchControl: ["allow"],
  dnsPrefetchControl: ["allow"],
  xDownloadOptions: [],
  ieNoOpen: [],
  xFrameOptions: ["action"],
  frameguard: ["action"],
  xPermittedCrossDomainPolicies: ["permittedPolicies"],
  permittedCrossDomainPolicies: ["permittedPolicies"],
  xPoweredBy: [],
  hidePoweredBy: [],
  xXssProtection: [],
  xssFilter: [],
});
