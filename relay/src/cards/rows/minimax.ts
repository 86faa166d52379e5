import type { VendorRows } from '../model-card.ts'

const ABOVE_ZERO = { min: 0.01, max: 1 }

export const minimaxRows: VendorRows = {
  vendor: 'minimax',
  models: /^(?:minimax|abab|m2-her)/,
  card: {
    sampling: { temperature: ABOVE_ZERO, topP: ABOVE_ZERO },
    // MiniMax-AI/MiniMax-M2#51: one system message, before all others.
    content: { system: 'first', demandsOrder: true },
  },
  rows: [
    {
      family: /^minimax-m\d/,
      source: 'https://platform.minimax.io/docs/guides/text-m2-function-call',
      card: {
        reasoning: { how: 'switch', canBeOff: false, isDefault: true },
        reasoningBack: { takesDetails: true },
      },
    },
  ],
}
