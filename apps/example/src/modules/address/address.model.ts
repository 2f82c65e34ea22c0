import { typedModels } from "@servicekit/service";
import { z } from "zod";
import { models } from "../../generated/service/models.js";

const { defineModel } = typedModels(models);

/** An address as it is printed on a parcel, in one line. */
export default defineModel("Address", {
  computed: {
    formatted: {
      type: z.string().meta({ description: "The address in one line.", examples: ["Quay 5, 1011 AB Amsterdam, NL"] }),
      needs: ["street", "postalCode", "city", "country"],
      compute: ({ street, postalCode, city, country }) => `${street}, ${postalCode} ${city}, ${country}`,
    },
  },
});
