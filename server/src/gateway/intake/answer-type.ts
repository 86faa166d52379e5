import type { AnswerForm } from '@tollgate/relay'

/*
 * Content types of relayed answers. Relay and console share an origin unless `ConsoleAddress` is
 * set, so a type that a browser renders or runs would let a provider act as the logged-in user. The
 * form of the answer decides the type; the provider's header only selects from the lists below.
 */

const JSON_TYPE = 'application/json'
const EVENTS_TYPE = 'text/event-stream'
const BYTES_TYPE = 'application/octet-stream'

/** Types without `+xml`, which browsers render as documents with scripts. */
const MEDIA_TYPES = [
  'audio/3gpp',
  'audio/aac',
  'audio/aiff',
  'audio/alaw',
  'audio/amr',
  'audio/basic',
  'audio/flac',
  'audio/L16',
  'audio/L24',
  'audio/m4a',
  'audio/mp3',
  'audio/mp4',
  'audio/mpeg',
  'audio/mulaw',
  'audio/ogg',
  'audio/opus',
  'audio/pcm',
  'audio/PCMA',
  'audio/PCMU',
  'audio/vnd.wave',
  'audio/wav',
  'audio/wave',
  'audio/webm',
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'video/mp4',
  'video/mpeg',
  'video/quicktime',
  'video/webm',
]
const SPELLINGS = new Map(MEDIA_TYPES.map((type) => [type.toLowerCase(), type]))
const EXPERIMENTAL_AUDIO = /^audio\/x-[a-z0-9-]{1,40}$/
/** Raw samples: the sample rate is stated only in the parameters. */
const RAW_AUDIO = /^audio\/(?:x-)?(?:alaw|l16|l24|mulaw|pcm|pcma|pcmu)$/

/** Encodings of providers that do not write UTF-8. */
const CHARSETS =
  /^(?:us-ascii|iso-8859-\d{1,2}|windows-125\d|gbk|gb2312|gb18030|big5|shift_jis|euc-jp|euc-kr)$/

/** `given` is the provider's Content-Type header. */
export function answerType(form: AnswerForm, given: string): string {
  switch (form) {
    case 'json':
      return JSON_TYPE
    case 'events':
      return EVENTS_TYPE
    case 'text':
      return textType(given)
    case 'media':
      return mediaType(given)
  }
}

/** One type with parameters. Two headers joined by a comma do not match. */
const TYPE = /^[ \t]*([a-z]+\/[a-z0-9.+-]+)[ \t]*(;[^,]*)?$/

function parseType(given: string): { essence: string; parameters: string } {
  const [, essence = '', parameters = ''] = TYPE.exec(given.toLowerCase()) ?? []
  return { essence, parameters }
}

const CHARSET = /;[ \t]*charset="?([\w-]+)"?[ \t]*(?:;|$)/

function textType(given: string): string {
  const { essence, parameters } = parseType(given)
  const [, charset = ''] = CHARSET.exec(parameters) ?? []
  const isKept = essence.startsWith('text/') && CHARSETS.test(charset)
  return `text/plain; charset=${isKept ? charset : 'utf-8'}`
}

const RATE = /;[ \t]*rate="?(\d{1,6})"?[ \t]*(?:;|$)/
const CHANNELS = /;[ \t]*channels="?(\d{1,2})"?[ \t]*(?:;|$)/

function mediaType(given: string): string {
  const { essence, parameters } = parseType(given)
  const type = SPELLINGS.get(essence) ?? (EXPERIMENTAL_AUDIO.test(essence) ? essence : BYTES_TYPE)
  if (!RAW_AUDIO.test(essence)) return type
  const [, rate] = RATE.exec(parameters) ?? []
  const [, channels] = CHANNELS.exec(parameters) ?? []
  return `${type}${rate ? `;rate=${rate}` : ''}${channels ? `;channels=${channels}` : ''}`
}
