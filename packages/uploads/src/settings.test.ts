import { describe, expect, it } from "vitest";
import { fileUploadSchema, readUploadSettings } from "./settings.js";

const read = (config?: Parameters<typeof readUploadSettings>[0], publicUrl?: string) =>
  readUploadSettings(config, { directory: "/srv/app", publicUrl });

describe("the settings of uploads", () => {
  it("C33 have these defaults", () => {
    const { restrictions, ...settings } = read();
    expect(settings).toMatchObject({
      baseUploadDir: "/srv/app/uploads",
      baseRoute: "/api/uploads",
      storage: { type: "disk" },
      image: undefined,
      serverStatic: {
        maxAge: 0,
        etag: true,
        lastModified: true,
        cacheControl: true,
        acceptRanges: true,
        immutable: false,
      },
    });
    expect(settings.publicUrl()).toBe("");
    const megabyte = 1024 * 1024;
    expect(Object.entries(restrictions).map(([name, { maxCount, maxSize }]) => [name, maxCount, maxSize])).toEqual([
      ["images", 30, 15 * megabyte],
      ["videos", 10, 1024 * megabyte],
      ["documents", 30, 50 * megabyte],
      ["files", 10, 1024 * megabyte],
    ]);
    expect(restrictions.images.supportedFiles("png", "image/png")).toBe(true);
    expect(restrictions.images.supportedFiles("mp4", "video/mp4")).toBe(false);
    expect(restrictions.files.supportedFiles("", "application/octet-stream")).toBe(true);
  });

  it.each(["/uploads", "/uploads/"])("C33 treat the default %s, written out, as unset", (baseUploadDir) => {
    expect(read({ baseUploadDir })).toMatchObject({ baseUploadDir: read().baseUploadDir });
  });

  it("C33 use a configured directory unchanged", () => {
    expect(read({ baseUploadDir: "/var/uploads" }).baseUploadDir).toBe("/var/uploads");
    expect(read({ baseUploadDir: "/uploads/shop" }).baseUploadDir).toBe("/uploads/shop");
    expect(read({ baseUploadDir: "data/files" }).baseUploadDir).toBe("/srv/app/data/files");
  });

  it("accept the other name of static options, durations, slashes, and stateful patterns", () => {
    const duration = (maxAge: number | string) => read({ serverStaticOptions: { maxAge } }).serverStatic.maxAge;
    expect([5000, 1999.9, "90s", "1 h", "1d", "9999w", 0, 1e21].map(duration)).toEqual([
      5, 1, 90, 3600, 86_400, 31_557_600, 0, 31_557_600,
    ]);
    expect(read({ baseRoute: "/media/" }, "https://a.example/").publicUrl()).toBe("https://a.example");
    expect(read({ baseRoute: "/media/" }).baseRoute).toBe("/media");
    const { images } = read({ restrictions: { images: { supportedFilesRegex: /png/g } } }).restrictions;
    expect([1, 2, 3].map(() => images.supportedFiles("png", "image/png"))).toEqual([true, true, true]);
  });

  it("are frozen", () => {
    const settings = read();
    expect([settings, settings.restrictions, settings.restrictions.images].every(Object.isFrozen)).toBe(true);
  });

  it("C38 reject unknown keys and wrong types", () => {
    const wrong: unknown[] = [
      { baseDir: "x" },
      { baseRoute: "uploads" },
      { baseRoute: "/a/:b" },
      { baseRoute: "/" },
      { restrictions: { pictures: {} } },
      { restrictions: { images: { maxSize: 0 } } },
      { restrictions: { images: { maxSize: "15mb" } } },
      { restrictions: { images: { supportedFilesRegex: "png" } } },
      { storage: "s4" },
      { storage: { type: "s3" } },
      { storage: { type: "s3", bucket: "b", secret: "x" } },
      { serverStatic: { maxAge: "soon" } },
      { image: { width: 0 } },
    ];
    for (const config of wrong) expect([config, fileUploadSchema.safeParse(config).success]).toEqual([config, false]);
    const right = {
      baseUploadDir: "/data",
      serverStatic: { maxAge: "1d", etag: false },
      restrictions: { images: { maxCount: 1, maxSize: 1, supportedFilesRegex: /png/ } },
      storage: {
        type: "s3",
        bucket: "b",
        endpoint: "http://localhost:9000",
        credentials: { accessKeyId: "a", secretAccessKey: "b" },
      },
      image: { width: 100, format: "webp" },
    };
    expect(fileUploadSchema.safeParse(right).success).toBe(true);
  });
});
