import "./base.css";
import { isApiError } from "@servicekit/client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./router.js";

const queries = new QueryClient({
  defaultOptions: {
    // The client itself retries requests.
    queries: { retry: false, refetchOnWindowFocus: false, throwOnError: false },
    mutations: { retry: false, onError: (error) => (isApiError(error) ? undefined : console.error(error)) },
  },
});

const place = document.getElementById("studio");
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
