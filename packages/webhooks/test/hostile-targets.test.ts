import { describe, expect, it } from "vitest";
import { readAllowList } from "../src/sending/allow-list.js";
import { isAllowedAddress, isPublicAddress } from "../src/sending/check-address.js";
import { forbiddenHost, urlIssue } from "../src/sending/check-url.js";

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
  expect(isAllowedAddress("example.com", none)).toBe(false);
  expect(isAllowedAddress("8.8.8.8", none)).toBe(true);
  expect(isAllowedAddress("fe80::1%eth0", none)).toBe(false);
});

// The first and the last address of each block of the registries of IANA for special purposes (RFC 6890), and the
// services of clouds at an address.
it.each([
  ["this network", "0.0.0.0", "0.255.255.255"],
  ["private use", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  ["shared addresses", "100.64.0.0", "100.127.255.255"],
  ["loopback", "127.0.0.0", "127.255.255.255"],
  ["link-local", "169.254.0.0", "169.254.255.255"],
  ["IETF protocols", "192.0.0.0", "192.0.0.8", "192.0.0.9", "192.0.0.170", "192.0.0.255"],
  ["documentation", "192.0.2.0", "192.0.2.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255"],
  ["AS112 and AMT", "192.31.196.0", "192.31.196.255", "192.52.193.0", "192.52.193.255", "192.175.48.255"],
  ["relays of 6to4", "192.88.99.0", "192.88.99.2", "192.88.99.255"],
  ["benchmarks", "198.18.0.0", "198.19.255.255"],
  ["multicast", "224.0.0.0", "233.252.0.1", "239.255.255.255"],
  ["reserved", "240.0.0.0", "255.255.255.254", "255.255.255.255"],
  ["unspecified and loopback", "::", "::1", "::127.0.0.1", "::10.0.0.1"],
  ["IPv4-mapped", "::ffff:10.0.0.1", "::ffff:168.63.129.16", "::ffff:a83f:8110", "::ffff:0:10.0.0.1"],
  ["NAT64", "64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["discard and dummy", "100::", "100::ffff:ffff:ffff:ffff", "100:0:0:1::1"],
  ["IETF protocols", "2001::", "2001:1::1", "2001:1::2", "2001:1::3", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["Teredo", "2001:0:a83f:8110:8000:63bf:3fff:fdd2"],
  ["benchmarks and AMT", "2001:2::1", "2001:3::1", "2001:4:112::1", "2620:4f:8000::1"],
  ["ORCHID and drones", "2001:10::1", "2001:20::1", "2001:2f:ffff::1", "2001:30::1"],
  ["documentation", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff::1"],
  ["6to4", "2002::", "2002:a83f:8110::1", "2002:ffff:ffff::1"],
  ["segment routing", "5f00::", "5f00:ffff::1"],
  ["unique-local", "fc00::", "fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fdff:ffff::1"],
  ["link-local, site-local and multicast", "fe80::", "febf::1", "fec0::1", "ff00::", "ff02::1", "ffff::1"],
  ["unassigned", "4000::1", "1fff:ffff::1", "8000::1"],
  ["AWS, Google, Oracle, DigitalOcean", "169.254.169.254", "169.254.170.2", "169.254.169.123", "192.0.0.192"],
  ["Azure", "168.63.129.16"],
  ["Alibaba", "100.100.100.200", "100.100.2.136"],
  ["IBM Cloud", "161.26.0.10", "166.8.0.1", "166.11.255.255"],
])("C112 rejects addresses of the kind: %s", (_kind, ...addresses) => {
  for (const address of addresses) {
    expect([address, isAllowedAddress(address, none), isPublicAddress(address)]).toEqual([address, false, false]);
    const host = address.includes(":") ? `[${address}]` : address;
    expect([address, urlIssue(`https://${host}/`, rules)]).toEqual([address, forbiddenHost]);
  }
});

it.each([
  "168.63.129.15",
  "168.63.129.17",
  "161.25.255.255",
  "161.27.0.0",
  "166.7.255.255",
  "166.12.0.0",
  "100.128.0.1",
])("C112 accepts %s beside a rejected network", (address) => {
  expect(isAllowedAddress(address, none)).toBe(true);
});

it("C112 has one issue for each host that is not allowed", () => {
  const hosts = ["127.0.0.1", "10.0.0.1", "[::1]", "168.63.129.16", "localhost", "db.internal", "intranet"];
  expect(new Set(hosts.map((host) => urlIssue(`https://${host}/`, rules)))).toEqual(new Set([forbiddenHost]));
});
