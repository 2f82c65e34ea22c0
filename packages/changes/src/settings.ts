/** The name of the model that stores changes. */
export const changeModelName = "Change";
