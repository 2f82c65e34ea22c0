/** Returns the default export of a module. TypeScript compiled to CommonJS has it inside Node's. */
export function defaultExport({ default: value }: Readonly<Record<string, unknown>>): unknown {
  const compiled = typeof value === "object" && value !== null && "__esModule" in value && "default" in value;
  return compiled ? value.default : value;
}
