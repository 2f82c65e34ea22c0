import { describe, expect, it } from "vitest";
import { makeClient } from "../src/index.js";

interface Api {
  tags: {
    key: number;
    row: { id: number; name: string };
    create: { name: string };
    update: { name?: string };
    filters: { name: { value: string; operators: "equals" } };
    relations: Record<never, never>;
  };
}

/** A client of a service that sends these pieces, or fails after them. */
function serve(pieces: readonly Uint8Array[], failure?: Error) {
  const requests: Request[] = [];
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[sent++];
        if (piece !== undefined) controller.enqueue(piece);
        else if (failure === undefined) controller.close();
        else controller.error(failure);
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  let sent = 0;
  const client = makeClient<Api>({
    baseUrl: "http://shop.test",
    fetch: async (request) => {
      requests.push(request);
      return new Response(body);
    },
  });
  return { client, requests, isCancelled: () => isCancelled };
}

/** The bytes of a text, in pieces that split characters and lines. */
const inPieces = (text: string, length: number): Uint8Array[] => {
  const bytes = new TextEncoder().encode(text);
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
};

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("C104 an export of the client", () => {
  const rows = [
    { id: 1, name: "ü🎵" },
    { id: 2, name: "line\nbreak" },
  ];
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");

  it.each([1, 2, 7, 1000])("has the rows of lines that arrive in pieces of %i bytes", async (length) => {
    const { client, requests } = serve(inPieces(text, length));
    const found = await client.tags.export({
      format: "ndjson",
      where: { name: { equals: "x" } },
      sort: ["-name"],
      limit: 5,
    });
    expect(await collect(found)).toEqual(rows);
    expect(decodeURIComponent(requests[0]?.url ?? "")).toBe(
      "http://shop.test/api/tags?name[equals]=x&sort=-name&limit=5",
    );
    expect(requests[0]?.headers.get("accept")).toBe("application/x-ndjson");
  });

  it("fails if the response ends early", async () => {
    const failing = serve(inPieces(text, 7), new TypeError("terminated"));
    await expect(collect(await failing.client.tags.export({ format: "ndjson" }))).rejects.toThrow("terminated");
    const cut = serve(inPieces(text.slice(0, -5), 7));
    await expect(collect(await cut.client.tags.export({ format: "ndjson" }))).rejects.toThrow(SyntaxError);
  });

  it("ends the request with the iteration", async () => {
    const { client, isCancelled } = serve(inPieces(text.repeat(1000), 64));
    for await (const { id } of await client.tags.export({ format: "ndjson" })) {
      expect(id).toBe(1);
      break;
    }
    expect(isCancelled()).toBe(true);
  });

  it("as CSV is the body of the response", async () => {
    const { client, requests } = serve(inPieces("id,name\r\n", 3));
    const stream = await client.tags.export({ format: "csv", fields: ["id"] });
    expect(await new Response(stream).text()).toBe("id,name\r\n");
    expect(requests[0]?.headers.get("accept")).toBe("text/csv");
  });
});

it("C104 an import of the client sends the file with its type", async () => {
  const { client, requests } = serve(inPieces('{"meta":{"count":1,"dryRun":true}}', 100));
  const file = new Blob(["name\nred\n"], { type: "text/csv" });
  const options = { onConflict: "name", dryRun: true } as const;
  expect(await client.tags.import(file, options)).toEqual({ meta: { count: 1, dryRun: true } });
  const [request] = requests;
  expect(request?.url).toBe("http://shop.test/api/tags/many?onConflict=name&dryRun=true");
  expect([request?.headers.get("content-type"), await request?.text()]).toEqual(["text/csv", "name\nred\n"]);
});
