// What only other packages of this repository use. Unstable: it changes without a major version.
export { traceIdOf } from "./tracing/request-trace.js";
