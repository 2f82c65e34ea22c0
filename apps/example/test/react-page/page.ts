import { makeClient } from "@servicekit/client";
import { withProgress } from "@servicekit/client/progress";
import { makeHooks } from "@servicekit/client/react-query";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement as make, useState } from "react";
import { createRoot } from "react-dom/client";
import type { Api } from "../../src/generated/service/api.js";

const shop = makeClient<Api>();
const { useList, useInfiniteList, useRead, useCreate, useUpdate, useDelete } = makeHooks<Api>(shop);

const button = (id: string, onClick: () => unknown) => make("button", { id, onClick, type: "button" }, id);

/** The tags of the shop; one can be selected, renamed and deleted. */
function Tags() {
  const [chosen, choose] = useState<number>();
  const [name, setName] = useState("");
  const tags = useList("tags", { where: { name: { istartsWith: "page-" } }, sort: ["name"] });
  const tag = useRead("tags", chosen);
  const create = useCreate("tags", { call: { idempotencyKey: true } });
  const update = useUpdate("tags");
  const remove = useDelete("tags");
  const issue = create.error ?? update.error ?? remove.error;
  return make(
    "section",
    {},
    make("input", { id: "name", value: name, onChange: (event) => setName((event.target as HTMLInputElement).value) }),
    button("create", () => create.mutate({ name })),
    button("rename", () => chosen && update.mutate({ key: chosen, changes: { name } })),
    button("delete", () => chosen && remove.mutate(chosen, { onSuccess: () => choose(undefined) })),
    make(
      "ul",
      { id: "tags" },
      tags.data?.data.map(({ id, name }) => make("li", { key: id, onClick: () => choose(id) }, name)),
    ),
    make("p", { id: "chosen" }, chosen === undefined ? "" : (tag.data?.data.name ?? "…")),
    make("p", { id: "state" }, update.isPending ? "pending" : "settled"),
    make("p", { id: "error" }, issue?.message ?? ""),
  );
}

/** Products with infinite scrolling. */
function Products() {
  const products = useInfiniteList("products", { fields: ["id"], limit: 5, sort: ["id"] });
  return make(
    "section",
    {},
    make("p", { id: "count" }, String(products.data?.pages.flatMap(({ data }) => data).length ?? 0)),
    button("more", () => products.fetchNextPage()),
  );
}

/** File uploads with their progress. */
function Files() {
  const [progress, addProgress] = useState<readonly number[]>([]);
  const [url, setUrl] = useState("");
  const send = async (files: FileList | null): Promise<void> => {
    const fetch = withProgress(({ sent, total }) => addProgress((before) => [...before, sent / total]));
    const { data } = await shop.upload("images", [...(files ?? [])], { fetch });
    setUrl(data[0]?.pathname ?? "");
  };
  return make(
    "section",
    {},
    make("input", { id: "file", type: "file", onChange: (event) => send((event.target as HTMLInputElement).files) }),
    make("p", { id: "progress" }, progress.at(-1) === undefined ? "" : `${Math.round((progress.at(-1) ?? 0) * 100)} %`),
    make("p", { id: "uploaded" }, url),
  );
}

createRoot(document.getElementById("page") as HTMLElement).render(
  make(QueryClientProvider, { client: new QueryClient() }, make(Tags), make(Products), make(Files)),
);
