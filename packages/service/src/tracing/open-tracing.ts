import type { Attributes, Tracer } from "@opentelemetry/api";
import { isHttpError } from "@servicekit/errors";
import type { Mailer } from "@servicekit/mailer";
import type { AroundStatement } from "@servicekit/orm/postgres";
import type { AroundStorage } from "@servicekit/uploads";
import { describeStatement } from "./describe-statement.js";

export type OpenTelemetry = typeof import("@opentelemetry/api");

/** What makes the spans of a service. */
export interface Tracing {
  readonly api: OpenTelemetry;
  readonly tracer: Tracer;
  /** A span around a command to Redis. Its keys are not told: a token may be one. */
  readonly aroundRedis: <Result>(command: string, run: () => Promise<Result>) => Promise<Result>;
  readonly aroundStatement: AroundStatement;
  readonly aroundStorage: AroundStorage;
  /** A mailer whose mails are spans. Its receivers are not told. */
  readonly traceMails: (mailer: Mailer) => Mailer;
}

/** Where the API of OpenTelemetry keeps what is registered, in every copy and version of it. */
const registry = Symbol.for("opentelemetry.js.api.1");

/**
 * The spans of a service (contract C69), where the application has registered an OpenTelemetry SDK before. Without one
 * nothing is loaded and nothing is put around anything: carrying a context from call to call costs a service a twentieth.
 */
export async function openTracing(): Promise<Tracing | undefined> {
  if (!(registry in globalThis)) return undefined;
  const api = await import("@opentelemetry/api");
  const provider = api.trace.getTracerProvider();
  const name = "@servicekit/service";
  const tracer =
    provider instanceof api.ProxyTracerProvider ? provider.getDelegateTracer(name) : provider.getTracer(name);
  if (tracer === undefined) return undefined;

  const inSpan = <Result>(span: SpanForm, run: () => Promise<Result>): Promise<Result> =>
    tracer.startActiveSpan(span.name, { kind: api.SpanKind.CLIENT, attributes: span.attributes }, async (open) => {
      try {
        return await run();
      } catch (error) {
        // Its message may quote what nobody but the log of the service may see.
        open.setAttribute("error.type", nameOf(error));
        open.setStatus({ code: api.SpanStatusCode.ERROR });
        throw error;
      } finally {
        open.end();
      }
    });
  return Object.freeze<Tracing>({
    api,
    tracer,
    aroundRedis: (command, run) =>
      inSpan({ name: command, attributes: { "db.system.name": "redis", "db.operation.name": command } }, run),
    aroundStatement: (sql, run) => inSpan(describeStatement(sql), run),
    aroundStorage: (act, run) =>
      inSpan({ name: `storage ${act}`, attributes: { "servicekit.storage.operation": act } }, run),
    traceMails: (mailer) => ({
      ...mailer,
      send: (mail) => inSpan({ name: "send mail", attributes: {} }, () => mailer.send(mail)),
    }),
  });
}

/** What a span is begun with. */
export interface SpanForm {
  readonly name: string;
  readonly attributes: Attributes;
}

function nameOf(error: unknown): string {
  if (isHttpError(error)) return error.code;
  return error instanceof Error ? error.name : "Error";
}
