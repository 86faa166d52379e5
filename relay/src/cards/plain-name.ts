/**
 * The name that a model's maker uses. OpenRouter and others prefix the maker, `openai/o3`, and
 * write Claude's versions with a dot, `claude-opus-4.6`. Bedrock also prefixes a region,
 * `us.anthropic.claude-opus-4-6-v1`. Fine-tuned models are named `ft:gpt-4.1:acme::id`.
 */
export const normalizeModelName = (model: string) =>
  model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^ft:|^(?:[a-z-]+\.)?anthropic\./, '')
    .replace(/^(claude-(?:[a-z]+-)?\d+)\./, '$1-')
