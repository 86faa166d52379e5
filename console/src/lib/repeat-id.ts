/** Names one change of money, so that sending it twice after a lost answer carries it out once. */
export const newRepeatId = () => `console-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
