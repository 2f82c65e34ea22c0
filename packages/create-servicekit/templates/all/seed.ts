// Initial rows. "service dev" runs this file once on a new database, "service seed" at any time.
import service from "@servicekit/service";
import { app } from "./app.js";
import { contextOf } from "./context.js";

const created = await service.create(app);
const { client } = contextOf(created);
//: if accounts

const email = process.env.ADMIN_EMAIL ?? "";
const password = process.env.ADMIN_PASSWORD ?? "";
if (email === "" || password.length < 12) {
  throw new Error("Set ADMIN_EMAIL, and an ADMIN_PASSWORD of at least 12 characters.");
}

const admin = await client.user.upsert({
  where: { email },
  create: { email, name: "Administrator", password: await created.hashPassword(password), isSuperUser: true },
  update: {}, // an existing user is not changed
});
console.log(`${admin.email} has full access. Its password is ADMIN_PASSWORD in .env.`);
//: end
//: if dynamic

// Initial roles and permissions. Superusers manage them through the API.
const permissions = [{ resource: "summary", action: "View" }];
await client.authRole.upsert({
  where: { name: "staff" },
  create: { name: "staff", permissions: { create: permissions } },
  update: {},
});
//: end
//: if blog

if ((await client.post.count()) === 0) {
  await client.post.create({
    data: {
      title: "Hello",
      slug: "hello",
      content: "The first post.",
      isPublished: true,
      tags: { create: [{ name: "news" }] },
      comments: { create: [{ text: "Good to have you here." }] },
//: if accounts
      ownerId: admin.id,
//: end
    },
  });
}
//: end
//: if shop

if ((await client.product.count()) === 0) {
  await client.category.create({
    data: {
      name: "Kitchen",
      products: {
        create: [
//: if sqlite
          { name: "Tin mug", price: 1250, stock: 40, purchasePrice: 420 },
          { name: "Kettle", price: 3900, stock: 12, purchasePrice: 1780 },
//: else
          { name: "Tin mug", price: "12.50", stock: 40, purchasePrice: "4.20" },
          { name: "Kettle", price: "39.00", stock: 12, purchasePrice: "17.80" },
//: end
        ],
      },
    },
  });
}
//: end
//: if empty

if ((await client.note.count()) === 0) {
//: if accounts
  await client.note.create({ data: { text: "Remember the milk.", ownerId: admin.id } });
//: else
  await client.note.create({ data: { text: "Remember the milk." } });
//: end
}
//: end

await created.close();
