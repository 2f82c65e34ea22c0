import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A key of an issuer. */
export interface IssuerKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: object;
}

/** Creates an ECDSA key on P-256. */
export function makeKey(kid: string): IssuerKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
  return { kid, privateKey, publicKey, jwk };
}

/** A token of any parts. */
export function makeToken(header: object, claims: object, signed: (text: string) => Buffer): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${signed(text).toString("base64url")}`;
}

/** Signs as ES256 does. */
export const signedBy =
  ({ privateKey: key }: IssuerKey) =>
  (text: string): Buffer =>
    sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });

/** An issuer of access tokens under the control of tests. */
export async function startIssuer(key: IssuerKey) {
  const state = { keys: [key], requested: 0, status: 200 };
  const server = createServer((request, response) => {
    state.requested++;
    const body = request.url?.startsWith("/.well-known")
      ? { issuer: issuer(), jwks_uri: `${issuer()}/keys` }
      : { keys: state.keys.map(({ jwk }) => jwk) };
    response.writeHead(state.status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = (): number => Math.floor(Date.now() / 1000);
  const claimsWith = (claims: object): object => ({
    ...{ iss: issuer(), aud: "shop", sub: "ada", iat: now(), exp: now() + 60 },
    ...claims,
  });
  return {
    issuer: issuer(),
    key,
    state,
    claimsWith,
    sign: (claims: object = {}, by: IssuerKey = key, header: object = {}): string =>
      makeToken({ alg: "ES256", kid: by.kid, ...header }, claimsWith(claims), signedBy(by)),
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
