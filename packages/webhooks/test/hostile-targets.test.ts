import { describe, expect, it } from "vitest";
import { readAllowList } from "../src/sending/allow-list.js";
import { addressIssue } from "../src/sending/check-address.js";
import { urlIssue } from "../src/sending/check-url.js";

const none = readAllowList([]);
const rules = { allow: none, requireHttps: true };

describe("C112 rejects the URL", () => {
  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://127.0.0.1./",
    "https://127。0。0。1/",
    "https://①②⑦.0.0.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.64.0.1/",
    "https://100.100.100.200/",
    "https://192.0.0.192/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::127.0.0.1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::ffff:a00:1]/",
    "https://[::ffff:0:127.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b:1::10.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[ff02::1]/",
    "https://[100::1]/",
    "https://[2001:db8::1]/",
    "https://[4000::1]/",
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://a.localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://intranet/",
    "https://router.home.arpa/",
    "https://user:secret@example.com/",
    "https://user@example.com/",
    "http://example.com/",
    "https://example.com:25/",
    "https://example.com:22/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "javascript:alert(1)",
    "//example.com/",
    "/hooks",
    "example.com",
    "",
    `https://example.com/${"a".repeat(2048)}`,
  ])("%s", (url) => {
    expect(urlIssue(url, rules)).toEqual(expect.any(String));
  });
});

describe("C112 accepts the URL", () => {
  it.each([
    "https://example.com/hooks?a=b",
    "https://example.com:8443/",
    "https://93.184.215.14/",
    "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
    "https://[::ffff:93.184.215.14]/",
    "https://bücher.example/",
    "https://localhost.example.com/",
  ])("%s", (url) => {
    expect(urlIssue(url, rules)).toBeUndefined();
  });
});

describe("C112 webhooks.allow", () => {
  const allow = readAllowList(["127.0.0.1", "10.0.0.0/8", "fd00::/8", "Hooks.Internal", "localhost"]);
  const open = { allow, requireHttps: true };

  it.each([
    "http://127.0.0.1:9000/",
    "http://[::ffff:127.0.0.1]/",
    "http://10.200.0.1/",
    "http://[fd00::1]/",
    "http://hooks.internal:81/",
    "http://localhost:3000/",
  ])("allows %s, also without https and at any port", (url) => {
    expect(urlIssue(url, open)).toBeUndefined();
  });

  it.each([
    "https://127.0.0.2/",
    "https://11.0.0.1:25/",
    "https://other.internal/",
    "https://a.localhost/",
    "https://[::1]/",
  ])("does not allow %s", (url) => {
    expect(urlIssue(url, open)).toEqual(expect.any(String));
  });

  it("does not allow user info", () => {
    expect(urlIssue("https://a:b@localhost/", open)).toMatch("Remove the user");
  });

  it.each([
    "",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "example.com/8",
    "https://example.com",
    "a b",
    "a:80",
    "0x7f.1",
    "fd00::/129",
    "10.0.0.0/",
  ])("rejects the entry %j", (entry) => {
    expect(() => readAllowList([entry])).toThrow(new TypeError(`Invalid entry ${JSON.stringify(entry)}.`));
  });
});

it("C112 allows http and all public hosts in development, and no private ones", () => {
  const development = { allow: none, requireHttps: false };
  expect(urlIssue("http://example.com/", development)).toBeUndefined();
  expect(urlIssue("http://localhost:3000/", development)).toMatch("webhooks.allow");
});

it("C112 rejects what is not an address", () => {
  expect(addressIssue("example.com", none)).toBe("example.com is not an address");
  expect(addressIssue("8.8.8.8", none)).toBeUndefined();
  expect(addressIssue("fe80::1%eth0", none)).toMatch("linkLocal");
});
