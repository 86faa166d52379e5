/** Two numbers that ought to be the same; `found` is the stored one. */
export type Difference = { where: string; what: string; found: number; expected: number }
