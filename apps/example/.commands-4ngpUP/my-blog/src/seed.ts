// The first rows: "service dev" runs this once on a new database, "service seed" whenever you like.
import service from "@servicekit/service";
import { app } from "./app.js";
import { contextOf } from "./context.js";

const created = await service.create(app);
const { client } = contextOf(created);

const email = process.env.ADMIN_EMAIL ?? "";
const password = process.env.ADMIN_PASSWORD ?? "";
if (email === "" || password.length < 12) throw new Error("ADMIN_EMAIL and an ADMIN_PASSWORD of 12 letters are needed.");

const admin = await client.user.upsert({
  where: { email },
  create: { email, name: "Administrator", password: await created.hashPassword(password), isSuperUser: true },
  update: {}, // who is there already stays as he is
});
console.log(`${admin.email} may do everything; the password is ADMIN_PASSWORD of .env.`);

if ((await client.post.count()) === 0) {
  await client.post.create({
    data: {
      title: "Hello",
      slug: "hello",
      content: "The first post.",
      isPublished: true,
      tags: { create: [{ name: "news" }] },
      comments: { create: [{ text: "Good to have you here." }] },
      ownerId: admin.id,
    },
  });
}

await created.close();
