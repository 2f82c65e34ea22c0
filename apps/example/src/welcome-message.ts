/** The message of `GET /api`. */
export const welcomeMessage = "Welcome to Harbour & Pine, goods for the outdoors and the kitchen.";
