export const PARAGRAPH = '\n\n'
