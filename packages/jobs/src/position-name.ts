/** The name of the model that stores how far consumers have read the change log. */
export const positionModelName = "ChangePosition";
