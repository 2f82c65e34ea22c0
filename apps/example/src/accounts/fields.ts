/** The public fields of a product; the stock, and relations to suppliers, are for the staff. */
export const productFields = [
  ...["id", "sku", "name", "description", "status", "price", "weight", "channels", "keywords", "attributes"],
  ...["releasedOn", "categoryId", "category", "createdAt", "updatedAt", "tags", "images", "reviews"],
];
export const productFieldsOfStaff = ["stock", "suppliers", "orderItems", "movements"];

/** The fields of an order for customers: all but the address from which it was placed. */
export const orderFields = [
  ...["id", "reference", "status", "total", "note", "placedAt", "deliverBy", "shippedAt", "customerId", "customer"],
  ...["shippingAddressId", "shippingAddress", "billingAddressId", "billingAddress", "couponCode", "items", "payment"],
];
export const orderFieldsOfStaff = ["clientIp", "coupon"];
