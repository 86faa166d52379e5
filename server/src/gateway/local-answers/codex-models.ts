import type { ListedModel } from '@tollgate/relay'

/*
 * The list of models that Codex reads (https://github.com/openai/codex). It rejects the whole list
 * if a member of an entry is missing, and takes the instructions of an entry as they are.
 */

/** Codex has better entries for the models of its maker. */
const KNOWN_TO_CODEX = /^(?:gpt-|codex-|o\d)/

const CHATS = new Set(['text', 'image'])
const TOOL_OUTPUT_TOKENS_MAX = 10_000

/** Models for embeddings, speech, images and other tasks. */
const NO_CHAT = /embed|bge-|whisper|tts|speech|dall-e|imag|rerank|moderation|ocr|audio/i

export const codexModels = (models: readonly ListedModel[]) =>
  models.filter(({ id }) => !KNOWN_TO_CODEX.test(id) && !NO_CHAT.test(id)).map(codexModel)

const codexModel = ({ id, facts }: ListedModel, priority: number) => ({
  slug: id,
  display_name: id,
  supported_reasoning_levels: facts.efforts.map((effort) => ({ effort, description: effort })),
  shell_type: 'shell_command',
  visibility: 'list',
  supported_in_api: true,
  priority,
  base_instructions: INSTRUCTIONS,
  supports_reasoning_summaries: false,
  support_verbosity: false,
  truncation_policy: { mode: 'tokens', limit: TOOL_OUTPUT_TOKENS_MAX },
  supports_parallel_tool_calls: true,
  experimental_supported_tools: [],
  apply_patch_tool_type: 'freeform',
  use_responses_lite: false,
  prefer_websockets: false,
  ...(facts.inputs.length === 0
    ? {}
    : { input_modalities: facts.inputs.filter((name) => CHATS.has(name)) }),
  ...(facts.contextTokens === null ? {} : { context_window: facts.contextTokens }),
})

const INSTRUCTIONS = `You are a coding agent in the user's terminal. You and the user share a \
working folder. You act through the tools of each request.

- Work on until the task is done. Ask only if you cannot decide something yourself.
- Read the code you are about to change, and follow its style and its instructions (AGENTS.md).
- Search with rg where it is installed. Run independent commands in parallel.
- Change files with apply_patch. Make the smallest change that solves the task at its cause.
- Never undo changes that you did not make. Do not commit or push unless asked.
- Run the tests that cover your change, and say so if you could not.
- Before a longer series of calls, say in a sentence what you are about to do.
- At the end, say briefly what changed, with paths, and what the user should know.
`
