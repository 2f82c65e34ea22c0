/** What everyone sees of a product; the stock, and what leads to suppliers, is for the shop's people. */
export const productFields = [
  ...["id", "sku", "name", "description", "status", "price", "weight", "channels", "keywords", "attributes"],
  ...["releasedOn", "categoryId", "category", "createdAt", "updatedAt", "tags", "images", "reviews"],
];
export const productFieldsOfStaff = ["stock", "suppliers", "orderItems", "movements"];

/** What customers see of an order: all but the address that it came from. */
export const orderFields = [
  ...["id", "reference", "status", "total", "note", "placedAt", "deliverBy", "shippedAt", "customerId", "customer"],
  ...["shippingAddressId", "shippingAddress", "billingAddressId", "billingAddress", "couponCode", "items", "payment"],
];
export const orderFieldsOfStaff = ["clientIp", "coupon"];
