import { describe, expect, it } from "vitest";
import { type ArgumentTable, readArguments } from "./read-arguments.js";

const table: ArgumentTable = {
  port: { key: "port", type: "port", short: "p" },
  host: { key: "server.host", type: "text" },
};

describe("readArguments", () => {
  it.each<[string[], object]>([
    [[], {}],
    [["-p", "8000"], { port: 8000 }],
    [["--port", "8000"], { port: 8000 }],
    [["--port=8000"], { port: 8000 }],
    [["--port=1", "-p", "2"], { port: 2 }],
    [["--host", "::1", "-p", "2"], { port: 2, server: { host: "::1" } }],
    [["--host=a=b"], { server: { host: "a=b" } }],
    [["start", "--watch", "-x", "--name=n", "-p", "8000", "rest"], { port: 8000 }],
    [["-prof", "--ports=3", "-port", "--PORT=3", "p", "port"], {}],
    [["--", "-p", "8000"], {}],
    [["-undefined", "1"], {}],
  ])("C38 reads %o", (argv, value) => {
    expect(readArguments(argv, table)).toEqual({ value, issues: [] });
  });

  it.each<[string[], string, string]>([
    [["-p"], "-p", "Its value is missing."],
    [["--port="], "--port", "Its value is missing."],
    [["-p", "http"], "-p", 'found "http" (text), expected a port from 0 to 65535.'],
    [["--port", "-1"], "--port", 'found "-1" (text), expected a port from 0 to 65535.'],
    [["--port=99999"], "--port", "expected a port"],
  ])("reports what is wrong with %o", (argv, path, message) => {
    const { value, issues } = readArguments(argv, table);
    expect(value).toEqual({});
    expect(issues).toMatchObject([{ where: path, message: expect.stringContaining(message) }]);
  });
});
