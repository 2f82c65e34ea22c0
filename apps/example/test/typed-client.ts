/** The requests and responses of the shop's declared routes, for the client. */
export interface Routes {
  "POST /api/orders/:id/ship": {
    response: { data: { id: number; reference: string; status: "SHIPPED"; shippedAt: string } };
  };
  "GET /api/reports/best-sellers": {
    query?: { from?: string; until?: string; limit?: number };
    response: { data: { productId: number; sku: string; name: string; pieces: number; revenue: string }[] };
  };
}
