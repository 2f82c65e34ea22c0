import { makeClient } from "@servicekit/client";
import { makeHooks } from "@servicekit/client/react-query";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement as make } from "react";
import { createRoot } from "react-dom/client";
import type { Api } from "../../src/generated/service/api.js";

const { useList } = makeHooks<Api>(makeClient<Api>());

/** The paid orders of the user, which follow the changes of other clients. */
function Orders() {
  const query = { where: { status: "PAID" }, fields: ["reference", "note"], sort: ["reference"], limit: 50 } as const;
  const orders = useList("orders", query, { live: true });
  return make(
    "ul",
    { id: "orders" },
    orders.data?.data.map(({ reference, note }) => make("li", { key: reference }, `${reference} ${note ?? ""}`.trim())),
  );
}

createRoot(document.getElementById("page") as HTMLElement).render(
  make(QueryClientProvider, { client: new QueryClient() }, make(Orders)),
);
