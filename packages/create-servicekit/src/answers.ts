/** What a project may be made of, each with the words for whoever is asked. */
export const choices = {
  schema: { blog: "Posts, comments and tags", shop: "Categories, products and orders", empty: "One small model" },
  validation: { zod: "Zod schemas", "class-validator": "Classes with decorators (class-validator)" },
  authentication: {
    static: "Accounts; the roles that may stand in the code",
    dynamic: "Accounts; roles and permissions are rows of the database",
    none: "No accounts: every route is open to everyone",
  },
} as const;

/** The questions with a fixed set of answers. */
export type Question = keyof typeof choices;

/** What a project is made of. */
export interface Answers {
  readonly schema: keyof typeof choices.schema;
  readonly validation: keyof typeof choices.validation;
  readonly authentication: keyof typeof choices.authentication;
}

/** What holds where nobody says otherwise. */
export const defaultAnswers: Answers = { schema: "blog", validation: "zod", authentication: "static" };

export const questions = Object.keys(choices) as Question[];

/** The answers that a question takes. */
export const answersTo = (question: Question): readonly string[] => Object.keys(choices[question]);
