/** The number of rows in the table of products. */
export const productCount = 4000;

export const categories = Array.from({ length: 20 }, (_, index) => ({ name: `Category ${index + 1}` }));

/** The products of the shop, with their prices in cents. */
export const makeProducts = () =>
  Array.from({ length: productCount }, (_, index) => ({
    sku: `SKU-${String(index + 1).padStart(6, "0")}`,
    name: `Product number ${index + 1}`,
    description: index % 4 === 0 ? null : `The description of product ${index + 1}: it is made to last.`,
    status: (["ACTIVE", "ACTIVE", "DRAFT", "DISCONTINUED"] as const)[index % 4] ?? "DRAFT",
    // Steps without a common factor with the length produce all prices in a seemingly random order.
    cents: (index * 7919) % 50_000,
    stock: (index * 31) % 250,
    weight: index % 5 === 0 ? null : ((index * 13) % 400) / 8,
    featured: index % 7 === 0,
    releasedAt: new Date(Date.UTC(2025, index % 12, 1 + (index % 28), 8)),
    categoryId: 1 + (index % 20),
  }));
