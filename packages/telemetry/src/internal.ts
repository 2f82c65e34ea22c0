// Used only by other packages of this repository. Unstable: it changes without a major version.
export { traceIdOf } from "./tracing/request-trace.js";
