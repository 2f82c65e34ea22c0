import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { defaultShutdown } from "../packages/service/src/config/shutdown.js";
import { defaultTimeouts } from "../packages/service/src/config/timeouts.js";

const root = path.join(import.meta.dirname, "..");
const read = (name: string): string => fs.readFileSync(path.join(root, "docs", "guides", name), "utf8");
const page = read("deployment.md");
const yaml = createRequire(path.join(root, "packages/openapi/package.json"))("yaml") as {
  parse(text: string, options?: object): unknown;
  parseAllDocuments(text: string): { toJS(): unknown }[];
};

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      { environment?: Record<string, string>; stop_grace_period?: string; command?: string[]; cap_drop?: string[] }
    >
  >;
}
interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly rollingUpdate: { readonly maxUnavailable: number; readonly maxSurge: number } };
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsNonRoot: boolean };
        readonly enableServiceLinks?: boolean;
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value?: string }[];
          readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
          readonly resources: { readonly requests: object; readonly limits: object };
          readonly readinessProbe: { readonly periodSeconds: number };
        }[];
      };
    };
  };
}

const { services } = yaml.parse(read("deployment/compose.yaml"), { merge: true }) as Compose;
const { spec } = yaml
  .parseAllDocuments(read("deployment/kubernetes.yaml"))
  .map((each) => each.toJS() as Deployment)
  .find(({ kind }) => kind === "Deployment") as Deployment;
const [container] = spec.template.spec.containers;
const { delay, drain } = defaultShutdown("production");
const seconds = (ms: number): string => `${ms / 1_000} s`;

describe("C69 docs/guides/deployment.md", () => {
  it("covers everything that several instances need", () => {
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      "Settings of production",
      "Build the image",
      "Apply migrations",
      "Run two instances behind nginx",
      "Run on Kubernetes",
      "Other load balancers",
      "Restart without failed requests",
      "Connection pools",
      "Redis",
      "Workers",
      "In-memory state",
    ]);
    for (const setting of [
      "noeviction",
      "appendonly yes",
      "service migrate deploy",
      "advisory lock",
      "TRUST_PROXY=1",
    ]) {
      expect(page).toContain(setting);
    }
  });

  it("states the default times of the service", () => {
    const { keepAlive, request } = defaultTimeouts;
    expect(page).toContain(`\`timeouts.keepAlive\` (${seconds(keepAlive)})`);
    expect(page).toContain(`\`timeouts.request\` (${seconds(request)})`);
    expect(page).toContain(`\`shutdown.delay\` (${seconds(delay)} in production)`);
    expect(page).toContain(`\`shutdown.drain\` (${seconds(drain)})`);
  });

  it("has nginx timeouts that fit those of the service", () => {
    const { keepAlive, request } = defaultTimeouts;
    const secondsOf = (directive: string): number => Number(new RegExp(`\\b${directive} (\\d+)s;`).exec(page)?.[1]);
    expect(secondsOf("keepalive_timeout") * 1_000).toBeLessThan(keepAlive);
    expect(secondsOf("proxy_read_timeout") * 1_000).toBeGreaterThan(request);
    expect(Number(/--stop-timeout (\d+)/.exec(page)?.[1]) * 1_000).toBeGreaterThan(delay + drain);
  });

  it("has files with a grace period longer than the shutdown, and frequent readiness checks", () => {
    const [, preStop] = container?.lifecycle.preStop.exec.command ?? [];
    const takes = (delay + drain) / 1_000;
    expect(Number.parseInt(services.service?.stop_grace_period ?? "", 10)).toBeGreaterThan(takes);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(takes + Number(preStop));
    expect((container?.readinessProbe.periodSeconds ?? 0) * 1_000).toBeLessThan(delay);
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });

  it("prevents Kubernetes from setting SERVICE_PORT", () => {
    expect(spec.template.spec.enableServiceLinks).toBe(false);
  });

  it("has files that run without root and limit their resources", () => {
    expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true);
    expect(Object.keys(container?.resources.requests ?? {})).toEqual(["cpu", "memory"]);
    expect(Object.keys(container?.resources.limits ?? {})).toEqual(["memory"]);
    expect(services.service?.cap_drop).toEqual(["ALL"]);
    expect(read("deployment/Dockerfile").match(/^(FROM|USER) .*/gm)).toEqual([
      "FROM node:22-bookworm-slim AS build",
      "FROM node:22-bookworm-slim",
      "USER node",
    ]);
  });

  it("has files whose connection pools fit the database, with one more instance and the migrations", () => {
    const max = Number(/max_connections=(\d+)/.exec(services.postgres?.command?.join(" ") ?? "")?.[1]);
    const pool = Number(container?.env.find(({ name }) => name === "DATABASE_POOL_SIZE")?.value);
    const { maxSurge } = spec.strategy.rollingUpdate;
    expect((spec.replicas + maxSurge) * (pool + 1) + 3).toBeLessThan(max);
    expect(Number(services.pgbouncer?.environment?.DEFAULT_POOL_SIZE) + 3).toBeLessThan(max);
    expect(Number(services.service?.environment?.DATABASE_POOL_SIZE)).toBe(pool);
  });
});
