import type { ServingEndpoint } from '../model-card.ts'

type TaskRow = {
  readonly family: RegExp
  readonly endpoint: ServingEndpoint
  /** Public pages. */
  readonly source: string
}

const OPENAI = 'https://platform.openai.com/docs/models'
const EMBEDDINGS = 'https://huggingface.co/spaces/mteb/leaderboard'
const RERANKERS = 'https://docs.cohere.com/docs/rerank-overview, https://jina.ai/reranker'
const IMAGES = 'https://platform.openai.com/docs/guides/images, https://bfl.ai/models'
const SPEECH = 'https://platform.openai.com/docs/guides/text-to-speech'
const TRANSCRIPTS = 'https://platform.openai.com/docs/guides/speech-to-text'
const OCR = 'https://docs.mistral.ai/capabilities/document_ai'
const VIDEOS = 'https://platform.openai.com/docs/guides/video-generation'

/**
 * Models for something other than chats, by plain name. The first row that matches counts: a
 * reranker of a family of embeddings comes before its family.
 */
export const TASK_ROWS: readonly TaskRow[] = [
  { family: /^gpt-.*realtime|^gemini-.*-live\b/, endpoint: 'realtime', source: OPENAI },
  { family: /rerank/, endpoint: 'rerank', source: RERANKERS },
  { family: /^mistral-ocr/, endpoint: 'ocr', source: OCR },
  { family: /^(?:omni|text)-moderation/, endpoint: 'moderations', source: OPENAI },
  {
    family: /whisper|-transcribe\b|^sensevoice|^paraformer|^(?:fun|qwen\d*)-asr|^telespeechasr/,
    endpoint: 'transcriptions',
    source: TRANSCRIPTS,
  },
  {
    family: /^tts-\d|-tts\b|^cosyvoice|^sambert|^fish-speech|^kokoro|^orpheus|^speech-0\d/,
    endpoint: 'speech',
    source: SPEECH,
  },
  {
    family: /^sora|^veo-|^kling|^hailuo|^(?:wan|happyhorse).*-(?:t2v|i2v)|^cogvideo|^seedance/,
    endpoint: 'none',
    source: VIDEOS,
  },
  {
    family:
      /^dall-e|^(?:chat)?gpt-image|^imagen|^flux|^cogview|^wan(?:x|\d)|^qwen-image|^stable-diffusion|^sd(?:3|xl)|seedream|^grok-(?:2|imagine)-image|^kolors|^image-01|^hidream|^irag|^recraft|^ideogram|^muse-image/,
    endpoint: 'images',
    source: IMAGES,
  },
  {
    family:
      /^text-embedding|-embed(?:ding|dings)?(?![a-z])|^embed(?:ding)?[-_]|^bge-|^m3e|^gte-|^(?:multilingual-)?e5-|^bce-|^nomic-embed|^mxbai-|^voyage-|^jina-(?:clip|colbert)|^all-minilm|^stella|^embo-/,
    endpoint: 'embeddings',
    source: EMBEDDINGS,
  },
  {
    family: /^gpt-3\.5-turbo-instruct|^davinci|^babbage|^text-(?:davinci|curie|babbage|ada)-/,
    endpoint: 'completions',
    source: OPENAI,
  },
]
