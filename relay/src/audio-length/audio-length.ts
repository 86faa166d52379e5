import { boxedSeconds } from './boxes.ts'
import { flacSeconds } from './flac-frames.ts'
import { behindTags, framedSeconds } from './frames.ts'
import { oggSeconds } from './ogg.ts'
import { wavSeconds } from './wav.ts'
import { webmSeconds } from './webm.ts'

/*
 * How long a recording is, read from its own bytes: wav, flac, ogg (Opus, Vorbis, Speex, FLAC), mp3, aac, mp4
 * and webm. Anybody may send such a file, so every reader here is one pass without recursion over it. The length is
 * that of the sound, which decoders go by, and not what the file says of it or the moment at which it began. Where a
 * file can be read in two ways it is the longer one; a file that breaks the rules of its own form tells nothing.
 * (The usual library walks a file in promises that nothing can interrupt, has had files that make it walk for ever,
 * and knows no length of what browsers record.)
 */

/** Null for what is none of these, or does not tell; infinite for more pieces than a recording of some hours has. */
export function audioSeconds(bytes: Buffer): number | null {
  const seconds = secondsOf(bytes)
  return seconds !== null && seconds > 0 ? seconds : null
}

/** What a file of boxes may begin with: most name their kind, older ones come without. */
const BOXES = new Set(['ftyp', 'styp', 'moov', 'mdat', 'wide', 'free', 'skip'])

function secondsOf(bytes: Buffer): number | null {
  if (BOXES.has(bytes.toString('latin1', 4, 8))) return boxedSeconds(bytes)
  // Decoders pass over tags before sound of any kind.
  const sound = bytes.subarray(behindTags(bytes))
  return readerFor(sound)(sound)
}

function readerFor(bytes: Buffer): (bytes: Buffer) => number | null {
  const magic = bytes.toString('latin1', 0, 4)
  if (magic === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE') return wavSeconds
  if (magic === 'fLaC') return flacSeconds
  if (magic === 'OggS') return oggSeconds
  return magic === '\x1aE\xdf\xa3' ? webmSeconds : framedSeconds
}
