import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Every invalid example of a document, and the number of checked ones. */
export function checkExamples(document: object): { readonly count: number; readonly issues: readonly string[] } {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, "document");
  const issues: string[] = [];
  let count = 0;
  const check = (pointer: string, value: unknown): void => {
    count += 1;
    const validate = ajv.compile({ $ref: `document#${pointer}` });
    if (!validate(value)) issues.push(`${pointer}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  };
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { examples, example, schema } = value as Readonly<Record<string, unknown>>;
    // A schema's own examples, and that of its parameter or media type.
    if (Array.isArray(examples)) for (const each of examples) check(pointer, each);
    if (example !== undefined && typeof schema === "object") check(`${pointer}/schema`, example);
    for (const [key, inner] of Object.entries(value)) {
      if (key !== "examples" && key !== "example") walk(inner, `${pointer}/${escaped(key)}`);
    }
  };
  walk(document, "");
  return { count, issues };
}

const escaped = (part: string): string => encodeURIComponent(part.replace(/~/g, "~0").replace(/\//g, "~1"));
