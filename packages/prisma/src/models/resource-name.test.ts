import { expect, it } from "vitest";
import { resourceName } from "./resource-name.js";

it.each([
  ["User", "user"],
  ["MediaType", "media-type"],
  ["HTTPLog", "http-log"],
  ["User2FA", "user-2fa"],
  ["OAuth2Client", "o-auth2-client"],
  ["Web3DModel", "web-3d-model"],
  ["HTTP2Stream", "http2-stream"],
  ["X509Certificate", "x509-certificate"],
  ["V2User", "v2-user"],
  ["media_type", "media-type"],
  ["Media_Type_", "media-type"],
  ["address2", "address2"],
  ["ABC", "abc"],
  ["A", "a"],
  ["aB", "a-b"],
])("C6 %s is %s", (model, resource) => {
  expect(resourceName(model)).toBe(resource);
});
