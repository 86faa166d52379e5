/* What the thread that counts tokens loads. */
export { finish, type Steps } from './bytes/steps.ts'
export { type EncodingName, loadCounter } from './tokens/token-encodings.ts'
