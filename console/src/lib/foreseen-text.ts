import { FORESEEN_ERRORS, type ForeseenError } from '@tollgate/contract'
import { currentLanguage } from '../i18n/texts.ts'

/** What the server would answer, in the reader's language. */
export const foreseenText = (code: ForeseenError) => FORESEEN_ERRORS[code][currentLanguage()]
