import type { ListedModel } from '../client-dialect.ts'

export function geminiModel({ id, facts }: ListedModel) {
  const { contextTokens, outputTokens, efforts } = facts
  const isForVectors = /embed/i.test(id)
  return {
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: isForVectors
      ? ['embedContent', 'batchEmbedContents']
      : ['generateContent', 'countTokens'],
    ...(contextTokens === null ? {} : { inputTokenLimit: contextTokens }),
    ...(outputTokens === null ? {} : { outputTokenLimit: outputTokens }),
    ...(efforts.length === 0 ? {} : { thinking: true }),
  }
}
