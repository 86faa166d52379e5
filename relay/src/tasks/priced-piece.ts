import type { Measured } from '../usage/usage.ts'
import { imageFactor, isPricedPerImage } from './image-pricing.ts'
import { PRICED_PER_PAGE } from './ocr.ts'
import { isPricedPerSearch } from './rerank.ts'
import { PRICED_PER_CHARACTER } from './speech.ts'
import { PRICED_PER_SECOND } from './transcription.ts'
import { tokensForUnits } from './units.ts'

type PricedPiece = {
  readonly unit: Measured['unit']
  /** What a piece counts at the model's ratio; an image of the default size and quality. */
  readonly tokens: number
}

/** The piece by which a model is sold; null for models that are sold by the token. */
export function pricedPiece(model: string): PricedPiece | null {
  if (isPricedPerImage(model)) {
    const terms = { n: 1, size: '', quality: '', prompt: '' }
    return piece('image', imageFactor(model, terms))
  }
  if (isPricedPerSearch(model)) return piece('search')
  if (PRICED_PER_PAGE.test(model)) return piece('page')
  if (PRICED_PER_SECOND.test(model)) return piece('second')
  return PRICED_PER_CHARACTER.test(model) ? piece('character') : null
}

const piece = (unit: Measured['unit'], factor = 1): PricedPiece => ({
  unit,
  tokens: tokensForUnits({ unit, count: 1 }, factor),
})
