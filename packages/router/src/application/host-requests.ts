import type { Express, Request } from "express";

/** The mounting of an application in another one. */
export interface HostRequests {
  /** Whether another application passes requests to this one, and handles those that this one passes on. */
  isFromHost(request: Request): boolean;
  /** The mount path in the host; empty for a standalone application. */
  mountPath(): string;
}

/**
 * Distinguishes the requests of a host application from those of the service's own server: by Express's event `mount`,
 * and by the path at which the host, one of its routers or handlers has mounted the application. Call it before the
 * application is mounted.
 */
export function watchHost(app: Express): HostRequests {
  let isAtRoot = false;
  let seen: string | undefined;
  app.on("mount", () => {
    isAtRoot ||= [app.mountpath].flat().includes("/");
  });
  return {
    isFromHost({ baseUrl }) {
      if (baseUrl === "" && !isAtRoot) return false;
      // A router of the host is only known by its requests.
      seen ??= baseUrl;
      return true;
    },
    mountPath: () => seen ?? (isAtRoot ? "" : app.path()),
  };
}
