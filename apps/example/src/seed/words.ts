/** The category tree: each top category with its subcategories, and their products. */
export const shelves: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Camping: {
    Tents: ["Dome Tent", "Tunnel Tent", "Tarp", "Bivouac Bag"],
    "Sleeping Bags": ["Down Sleeping Bag", "Summer Sleeping Bag", "Silk Liner"],
    "Sleeping Mats": ["Foam Mat", "Air Mat", "Camp Pillow"],
    Lighting: ["Head Torch", "Camp Lantern", "Candle Lantern"],
  },
  Hiking: {
    Rucksacks: ["Day Pack", "Trekking Rucksack", "Roll-Top Pack", "Hip Bag"],
    Poles: ["Trekking Poles", "Folding Poles"],
    Bottles: ["Steel Bottle", "Vacuum Flask", "Folding Cup"],
    Navigation: ["Compass", "Map Case", "Altimeter"],
  },
  Clothing: {
    Jackets: ["Rain Jacket", "Fleece Jacket", "Down Vest"],
    Trousers: ["Trekking Trousers", "Rain Trousers"],
    Knitwear: ["Merino Jumper", "Wool Beanie", "Hiking Socks"],
  },
  Kitchen: {
    Cookware: ["Cast-Iron Pan", "Enamel Pot", "Camp Kettle", "Moka Pot"],
    Knives: ["Chef's Knife", "Bread Knife", "Pocket Knife"],
    Tableware: ["Enamel Mug", "Stoneware Bowl", "Linen Napkins"],
    Mills: ["Pepper Mill", "Salt Mill", "Coffee Grinder"],
  },
  Home: {
    Textiles: ["Wool Blanket", "Linen Throw", "Tea Towel"],
    Storage: ["Canvas Basket", "Pine Crate", "Tin Box"],
    Garden: ["Hand Trowel", "Watering Can", "Bird Feeder"],
  },
};

export const lines = ["Fjord", "Skerry", "Alder", "Harbour", "Pine", "Birch", "Ember"];
export const colours = ["moss", "slate", "rust", "sand", "ink", "chalk", "heather", "ochre"];
export const materials = ["wool", "cotton", "linen", "steel", "aluminium", "nylon", "oak", "ceramic"];

/** Difficult names: SQL wildcards, quotes, a backslash, other scripts. */
export const awkwardNames = [
  "100% Merino Blanket",
  "50% Recycled Rucksack",
  "Salt_and_Pepper Set",
  'The "Ember" Stove',
  "O'Hara's Oat Bowl",
  "Map Case A\\B",
  "Käsemesser „Säntis“",
  "南部鉄器 Kettle",
  "Théière Émaillée",
  "Camp Mug 🏕️",
];

export const tags = [
  "bestseller",
  "new",
  "gift idea",
  "recycled",
  "organic",
  "fair trade",
  "lightweight",
  "waterproof",
  "windproof",
  "insulated",
  "handmade",
  "vegan",
  "repairable",
  "spare parts",
  "made in europe",
  "limited",
  "winter",
  "summer",
  "family",
  "ultralight",
  "last chance",
  "staff pick",
  "bundle",
  "outlet",
];

export const companies = [
  "Nordlys Textil",
  "Alpwerk",
  "Ferro & Figli",
  "Kiln Street Pottery",
  "Loom & Line",
  "Bergbach Ausrüstung",
  "Atelier Marchand",
  "Tillamook Packs",
  "Saimaa Steel",
  "Oakhouse Mills",
  "Lanna Weaving",
  "Bretagne Voiles",
];
export const countries = ["DE", "NL", "SE", "FI", "IT", "FR", "PT", "AT"];

export const firstNames = [
  "Ada",
  "Anouk",
  "Ben",
  "Camille",
  "Dario",
  "Elin",
  "Emre",
  "Freya",
  "Giulia",
  "Hannes",
  "Ines",
  "Jakub",
  "Kaija",
  "Lars",
  "Léa",
  "Marta",
  "Nils",
  "Ola",
  "Paulo",
  "Rosa",
  "Sára",
  "Tomas",
  "Ulla",
  "Vera",
  "Wim",
  "Yara",
  "Zoë",
];
export const lastNames = [
  "Almeida",
  "Berg",
  "Costa",
  "Dahl",
  "Eriksen",
  "Fontaine",
  "García",
  "Holm",
  "Ivanova",
  "Jansen",
  "Kowalska",
  "Lindqvist",
  "Moretti",
  "Novák",
  "O'Brien",
  "Petit",
  "Rossi",
  "Schmidt",
  "Török",
  "van Dijk",
  "Weber",
  "Yılmaz",
];

/** City, country and the pattern of its postal codes (`#` is a digit, `@` a letter). */
export const cities: readonly (readonly [city: string, country: string, postalCode: string])[] = [
  ["Hamburg", "DE", "20###"],
  ["Utrecht", "NL", "35## @@"],
  ["Göteborg", "SE", "41# ##"],
  ["Tampere", "FI", "331##"],
  ["Torino", "IT", "101##"],
  ["Lyon", "FR", "6900#"],
  ["Porto", "PT", "40##-###"],
  ["Graz", "AT", "80##"],
  ["Kraków", "PL", "30-###"],
];
export const streets = ["Harbour Road", "Mill Lane", "Pine Street", "Station Square", "Castle Hill", "Long Row"];

/** Titles and texts of reviews by rating; `{}` is replaced by the product. */
export const opinions: Readonly<Record<number, readonly (readonly [title: string, body: string])[]>> = {
  1: [
    ["Broke at once", "The {} came apart on the first weekend. I have sent it back."],
    ["Not as described", "Smaller than the picture says, and the colour is another."],
  ],
  2: [["Disappointing", "I had hoped for more. The {} is heavy and the seams are rough."]],
  3: [
    ["Does what it should", "Nothing special, but the {} has held for a season."],
    ["Average", "Good material, poor instructions."],
  ],
  4: [
    ["Very good", "We have used the {} for months and would buy it again."],
    ["Nearly perfect", "One star less for the slow delivery; the {} itself is great."],
  ],
  5: [
    ["Wonderful", "The best {} I have owned. It looks better with every trip."],
    ["A keeper", "Bought one, then two more as gifts."],
    ["Worth every cent", "Well made, light and quiet. Thank you!"],
  ],
};
