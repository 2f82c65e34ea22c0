import { describe, expect, it } from "vitest";
import { type ServiceInfo, studioOptions } from "./open-studio.js";

const service = {
  apiDocs: { enabled: true, endpoint: "/api/docs" },
  disabledRouters: new Set<string>(),
  authentication: { mode: "dynamic", accounts: true, secret: "hush", login: { allowedUsernames: ["email"] } },
};
const of = (more: Partial<ServiceInfo> = {}, isAuthenticated = true) =>
  studioOptions({ ...service, ...more }, isAuthenticated);
const without = (...routers: string[]) => ({ disabledRouters: new Set(routers) });

describe("C76 the options of a service's studio", () => {
  it("C76 are the document and the sign-in, and no other setting", () => {
    expect(of()).toEqual({ document: "/api/docs.json", signIn: { usernames: ["email"], isDynamic: true } });
    expect(of({ authentication: { ...service.authentication, mode: "static" } }).signIn?.isDynamic).toBe(false);
  });

  it("C76 have the name of the application", () => {
    expect(of({ title: "Shop" }).title).toBe("Shop");
  });

  it("C76 have no document when it is not served", () => {
    expect(of({ apiDocs: { enabled: false, endpoint: "/api/docs" } }).document).toBeNull();
    expect(of(without("api-docs")).document).toBeNull();
    expect(of(without("auth-router")).document).toBe("/api/docs.json");
  });

  it("C76 have no user names when users sign in elsewhere", () => {
    expect(of(without("auth-router")).signIn?.usernames).toEqual([]);
    expect(of({ authentication: { ...service.authentication, accounts: false } }).signIn?.usernames).toEqual([]);
  });

  it("C76 have no sign-in without authentication", () => {
    expect(of({}, false).signIn).toBeNull();
    expect(of({ authentication: undefined }).signIn).toBeNull();
  });
});
