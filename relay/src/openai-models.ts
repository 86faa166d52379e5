import { words } from './provider.ts'

/** Azure and resellers serve these models under the same names. */
export const openaiModels = words(`
  gpt-6.2-astra gpt-6.2-sol gpt-6.1-sol gpt-6.1-terra gpt-6-astra gpt-6-sol gpt-6-luna gpt-5.6-sol
  gpt-5.6-terra gpt-5.6-luna gpt-5.5 gpt-5.5-pro gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.4-pro
  gpt-5.3-codex gpt-5.2 gpt-5.2-pro gpt-5.1 gpt-5 gpt-5-mini gpt-5-nano gpt-5-pro o3 o3-pro
  gpt-4.1 gpt-4.1-mini gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini
  gpt-4o-mini-2024-07-18 chat-latest gpt-5-search-api gpt-4o-search-preview
  gpt-4o-mini-search-preview gpt-6-astra-law gpt-6-cyber gpt-6-rosalind gpt-5.6-cyber
  gpt-5.5-cyber gpt-daybreak-blue-latest gpt-daybreak-red-latest gpt-rosalind-research
  gpt-rosalind-discovery text-embedding-3-large text-embedding-3-small text-embedding-ada-002
  gpt-image-2.6-sunburst gpt-image-2.6-flare gpt-image-2.5-sunburst gpt-image-2.5-flare
  gpt-image-2 gpt-image-1.5 gpt-image-1-mini gpt-transcribe gpt-4o-transcribe
  gpt-4o-mini-transcribe gpt-4o-mini-transcribe-2025-12-15 whisper-1 gpt-4o-mini-tts
  gpt-4o-mini-tts-2025-12-15 tts-1 tts-1-1106 tts-1-hd tts-1-hd-1106 omni-moderation-latest
  gpt-realtime-2.1 gpt-realtime-2.1-mini gpt-realtime-2 gpt-realtime-1.5 gpt-realtime
  gpt-realtime-mini gpt-audio-1.5 gpt-audio gpt-audio-mini
`)
