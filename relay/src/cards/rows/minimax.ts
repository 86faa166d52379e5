import type { CardPart, VendorRows } from '../model-card.ts'

const ABOVE_ZERO = { min: 0.01, max: 1 }

const REASONS: CardPart = {
  reasoning: { how: 'switch', canBeOff: false, isDefault: true },
  reasoningBack: { takesDetails: true },
}

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
      family: /^minimax-m[3-9]/,
      source: 'https://github.com/anomalyco/models.dev/tree/dev/models/minimax',
      card: { ...REASONS, facts: { input: ['text', 'image', 'video'] } },
    },
    {
      family: /^minimax-vl/,
      source: 'https://github.com/MiniMax-AI/MiniMax-01',
      card: { facts: { input: ['text', 'image'] } },
    },
    {
      family: /^minimax-m\d/,
      source: 'https://platform.minimax.io/docs/guides/text-m2-function-call',
      card: REASONS,
    },
  ],
}
