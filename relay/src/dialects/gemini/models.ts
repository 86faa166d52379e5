export function geminiModel(id: string) {
  const isForVectors = /embed/i.test(id)
  return {
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: isForVectors
      ? ['embedContent', 'batchEmbedContents']
      : ['generateContent', 'countTokens'],
  }
}
