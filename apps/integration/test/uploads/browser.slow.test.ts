import { ServiceRouter } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { jpeg, pdf, png } from "../../../../packages/uploads/test/samples.js";
import { makeUploadStarter } from "./serve-uploads.js";

const page = `<!doctype html><meta charset="utf-8"><title>form</title>
<form method="post" enctype="multipart/form-data" action="/api/people">
  <input name="person[name]" value="Ada &quot;A&quot; Ünïcode">
  <textarea name="person[about]">one
two</textarea>
  <input type="checkbox" name="person[tags][]" value="x" checked><input type="checkbox" name="person[tags][]" value="y" checked>
  <input type="file" name="person[photo]"><input type="file" name="papers" multiple><input type="file" name="empty">
  <button>Send</button>
</form>`;

describe.skipIf(isBrowserMissing())("uploads from a page in a browser", () => {
  const { serve, closeAll } = makeUploadStarter();
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await closeAll();
  });

  function people() {
    const router = ServiceRouter();
    router.get({ path: "/page" }, (_request, response) => {
      response.type("html").send(page);
    });
    const fields = [
      { name: "person[photo]", maxCount: 1 },
      { name: "papers", maxCount: 3 },
      { name: "empty", maxCount: 1 },
    ];
    router.post({ path: "/api/people", experimental: { uploads: { type: "fields", fields } } }, (request, response) => {
      response.status(201).json({ data: request.body });
    });
    return { use: [router], middlewares: { securityHeaders: false as const } };
  }

  const photo = { name: 'my "best" photö.png', mimeType: "image/png", buffer: png };
  const papers = [
    { name: "a.pdf", mimeType: "application/pdf", buffer: pdf },
    { name: "b.pdf", mimeType: "application/pdf", buffer: pdf },
  ];
  const expected = {
    person: {
      name: 'Ada "A" Ünïcode',
      about: "one\r\ntwo",
      tags: ["x", "y"],
      photo: expect.stringMatching(/^\/api\/uploads\/images\/[0-9a-f]{32}\.png$/),
    },
    papers: [expect.stringMatching(/\.pdf$/), expect.stringMatching(/\.pdf$/)],
  };

  it("C53 a submitted form arrives nested, with its files; an empty file field is ignored", async () => {
    const { url, files } = await serve(people());
    const tab = await browser.newPage();
    await tab.goto(`${url}/page`);
    await tab.setInputFiles('[name="person[photo]"]', photo);
    await tab.setInputFiles('[name="papers"]', papers);
    const [reply] = await Promise.all([tab.waitForResponse(`${url}/api/people`), tab.click("button")]);
    expect([reply.status(), JSON.parse(await reply.text()).data]).toEqual([201, expected]);
    expect(files()).toHaveLength(3);
    await tab.close();
  });

  it("C34 fetch with FormData from the page, the image shown from its url, and an error read as JSON", async () => {
    const { url } = await serve(people());
    const tab = await browser.newPage();
    await tab.goto(`${url}/page`);
    await tab.setInputFiles('[name="person[photo]"]', photo);
    await tab.setInputFiles('[name="papers"]', papers);
    const sent = await tab.evaluate(async () => {
      // biome-ignore lint/suspicious/noExplicitAny: the page has a DOM, this program has none
      const { document, FormData: Form } = globalThis as any;
      const response = await fetch("/api/people", { method: "POST", body: new Form(document.querySelector("form")) });
      return [response.status, (await response.json()).data];
    });
    expect(sent).toEqual([201, expected]);
    const drawn = await tab.evaluate(
      async (bytes: number[]) => {
        // biome-ignore lint/suspicious/noExplicitAny: the page has a DOM, this program has none
        const { document } = globalThis as any;
        const body = new FormData();
        body.append("images", new Blob([new Uint8Array(bytes)], { type: "image/jpeg" }), "drawn.jpg");
        const response = await fetch("/api/uploads/images", { method: "POST", body });
        const { data } = (await response.json()) as { data: { url: string; originalName: string } };
        const image = document.createElement("img");
        image.src = data.url;
        await image.decode();
        return [data.originalName, image.naturalWidth, image.naturalHeight];
      },
      [...jpeg],
    );
    expect(drawn).toEqual(["drawn.jpg", 40, 30]);
    const rejected = await tab.evaluate(async () => {
      const body = new FormData();
      body.append("images", new Blob(["<script>"], { type: "image/png" }), "x.png");
      const response = await fetch("/api/uploads/images", { method: "POST", body });
      return [response.status, ((await response.json()) as { code: string }).code];
    });
    expect(rejected).toEqual([415, "FileContentMismatch"]);
    await tab.close();
  });
});
