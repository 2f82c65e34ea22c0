/** What the routes that the shop declares take and answer, for the client. */
export interface Routes {
  "POST /api/orders/:id/ship": {
    answer: { data: { id: number; reference: string; status: "SHIPPED"; shippedAt: string } };
  };
  "GET /api/reports/best-sellers": {
    query?: { from?: string; until?: string; limit?: number };
    answer: { data: { productId: number; sku: string; name: string; pieces: number; revenue: string }[] };
  };
}
