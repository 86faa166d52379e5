/** Between texts that become one, such as the messages of an answer. */
export const PARAGRAPH = '\n\n'
