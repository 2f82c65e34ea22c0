import type { Prisma } from "../generated/prisma/client.js";
import { toEuros } from "./money.js";
import type { Random } from "./random.js";
import { makeThumbnail } from "./thumbnail.js";
import { awkwardNames, colours, companies, countries, lines, materials, shelves, tags } from "./words.js";

/** The products of the shop and their suppliers. */
export interface Catalogue {
  readonly categories: Prisma.CategoryCreateManyInput[];
  readonly tags: Prisma.TagCreateManyInput[];
  readonly suppliers: Prisma.SupplierCreateManyInput[];
  readonly products: ProductRow[];
  readonly productTags: { readonly productId: number; readonly tagId: number }[];
  readonly images: Prisma.ProductImageCreateManyInput[];
  readonly productSuppliers: Prisma.ProductSupplierCreateManyInput[];
}

/** A product with its price in cents, whose stock the sales may still change. */
export interface ProductRow {
  readonly row: Prisma.ProductCreateManyInput & { id: number; name: string; stock: number };
  readonly cents: number;
}

const firstDay = new Date("2023-03-01T00:00:00Z");
const lastDay = new Date("2024-12-20T00:00:00Z");
const toSlug = (name: string) => name.toLowerCase().replaceAll(/[^a-z]+/g, "-");

interface Drawer {
  readonly categoryId: number;
  readonly things: readonly string[];
}

function makeCategories(): { readonly categories: Catalogue["categories"]; readonly drawers: readonly Drawer[] } {
  const categories: Catalogue["categories"] = [];
  const drawers: Drawer[] = [];
  const add = (name: string, position: number, parentId: number | null) => {
    const id = categories.length + 1;
    categories.push({ id, name, slug: toSlug(name), position, parentId });
    return id;
  };
  for (const [shelf, [name, contents]] of Object.entries(shelves).entries()) {
    const parentId = add(name, shelf, null);
    for (const [place, [drawer, things]] of Object.entries(contents).entries()) {
      drawers.push({ categoryId: add(drawer, place, parentId), things });
    }
  }
  return { categories, drawers };
}

function makeProduct(random: Random, id: number, name: string, categoryId: number): ProductRow {
  const cents = random.integer(4, 290) * 100 + random.pick([0, 50, 90, 95, 99]);
  const createdAt = random.date(firstDay, lastDay);
  const status = random.chance(0.8) ? "ACTIVE" : random.pick(["DRAFT", "RUNNING_OUT", "DISCONTINUED"] as const);
  const row: ProductRow["row"] = {
    id,
    sku: `HP-${String(id * 37).padStart(6, "0")}`,
    name,
    description: random.chance(0.85) ? `${name}, made of ${random.pick(materials)} to last for years.` : null,
    status,
    price: toEuros(cents),
    purchasePrice: random.chance(0.9) ? ((cents * random.integer(3500, 7000)) / 1_000_000).toFixed(4) : null,
    weight: random.chance(0.9) ? random.integer(5, 420) / 100 : null,
    stock: 0,
    channels: random.sample(["WEB", "STORE", "MARKETPLACE"] as const, random.integer(0, 3)),
    keywords: random.sample([...colours, ...materials], random.integer(0, 4)),
    releasedOn: status === "DRAFT" ? null : new Date(`${createdAt.toISOString().slice(0, 10)}T00:00:00Z`),
    categoryId,
    createdAt,
    updatedAt: random.date(createdAt, lastDay),
  };
  if (random.chance(0.9)) {
    row.attributes = {
      colour: random.pick(colours),
      dimensions: { width: random.integer(5, 90), height: random.integer(5, 200) },
      care: random.sample(["wash cold", "do not iron", "oil now and then", "wipe dry"], 2),
    };
  }
  return { row, cents };
}

function makeProducts(random: Random, drawers: readonly Drawer[]): ProductRow[] {
  const named = lines.flatMap((line) =>
    drawers.flatMap(({ categoryId, things }) =>
      random.sample(things, Math.min(2, things.length)).map((thing) => ({ name: `${line} ${thing}`, categoryId })),
    ),
  );
  const awkward = awkwardNames.map((name) => ({ name, categoryId: random.pick(drawers).categoryId }));
  return [...awkward, ...named].map(({ name, categoryId }, at) => makeProduct(random, at + 1, name, categoryId));
}

function makeSuppliers(random: Random): (Prisma.SupplierCreateManyInput & { id: string })[] {
  return companies.flatMap((name) =>
    random.sample(countries, 2).map((country) => ({
      id: random.uuid(),
      name,
      country,
      email: random.chance(0.8) ? `orders.${country.toLowerCase()}@${toSlug(name)}.example` : null,
      phones: Array.from({ length: random.integer(0, 3) }, () => `+49 40 ${random.integer(100_000, 999_999)}`),
      reliability: random.integer(40, 100) / 100,
      isActive: random.chance(0.85),
      createdAt: random.date(firstDay, lastDay),
    })),
  );
}

/** The complete catalog, the same on every run. */
export function makeCatalogue(random: Random): Catalogue {
  const { categories, drawers } = makeCategories();
  const tagRows = tags.map((name, at) => ({ id: at + 1, name }));
  const suppliers = makeSuppliers(random);
  const products = makeProducts(random, drawers);
  const catalogue: Catalogue = {
    categories,
    tags: tagRows,
    suppliers,
    products,
    productTags: [],
    images: [],
    productSuppliers: [],
  };
  for (const { row } of products) {
    for (const { id } of random.sample(tagRows, random.integer(0, 4))) {
      catalogue.productTags.push({ productId: row.id, tagId: id });
    }
    const pictures = random.integer(0, 2);
    for (let position = 1; position <= pictures; position += 1) {
      const [red, green, blue] = [random.integer(0, 255), random.integer(0, 255), random.integer(0, 255)];
      catalogue.images.push({
        id: random.uuid(),
        position,
        alt: position === 1 ? row.name : null,
        thumbnail: makeThumbnail(red, green, blue),
        productId: row.id,
      });
    }
    for (const [place, { id }] of random.sample(suppliers, random.integer(1, 2)).entries()) {
      catalogue.productSuppliers.push({
        productId: row.id,
        supplierId: id,
        reference: `${random.integer(10, 99)}-${random.integer(1000, 9999)}`,
        leadDays: random.integer(2, 40),
        isFirst: place === 0,
      });
    }
  }
  return catalogue;
}
