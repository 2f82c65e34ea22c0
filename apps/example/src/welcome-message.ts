/** What `GET /api` says. */
export const welcomeMessage = "Welcome to Harbour & Pine, goods for the outdoors and the kitchen.";
