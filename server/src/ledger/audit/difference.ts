/** Two numbers that should be equal; `found` is the stored number. */
export type Difference = { where: string; what: string; found: number; expected: number }
