import { describe, expect, test } from 'vitest'
import { answerType } from './answer-type.ts'

/** Types that browsers render or run, and spellings that a parser may mistake for one. */
const HOSTILE = [
  'text/html',
  'TEXT/HTML',
  'text/html;charset=audio/mpeg',
  'image/svg+xml',
  'application/xhtml+xml',
  'audio/mpeg+xml',
  'audio/x-a.b+xml',
  'multipart/x-mixed-replace; boundary=x',
  'text/javascript',
  'application/pdf',
  'text/css',
  'application/json',
  'audio/mpeg, text/html',
  'text/html, audio/mpeg',
  'audio/mpeg text/html',
  'audio/mpeg\u00a0',
  'audio /mpeg',
  'audio/',
  '*/*',
  'constructor',
  '__proto__',
  'audio/x-',
  `audio/x-${'a'.repeat(41)}`,
  '',
  'audio/mpeg\0',
  'аudio/mpeg',
]

describe('the type of an answer', () => {
  test.each([...HOSTILE, 'audio/mpeg'])('with JSON or events is our own: %j', (given) => {
    expect(answerType('json', given)).toBe('application/json')
    expect(answerType('events', given)).toBe('text/event-stream')
  })

  test.each(HOSTILE)('with media is a binary type: %j', (given) => {
    expect(answerType('media', given)).toBe('application/octet-stream')
  })

  test.each(HOSTILE)('with text is plain text: %j', (given) => {
    expect(answerType('text', given)).toBe('text/plain; charset=utf-8')
  })

  test.each(['audio/mpeg', 'audio/L16', 'audio/x-wav', 'image/png', 'video/mp4'])(
    '%s is kept, in one spelling',
    (type) => {
      expect(answerType('media', type)).toBe(type)
      expect(answerType('media', ` ${type.toUpperCase()} ; q=1`)).toBe(type)
      expect(answerType('media', type.toLowerCase())).toBe(type)
    },
  )

  test.each([
    ['audio/mpeg; charset=utf-8', 'audio/mpeg'],
    ['audio/ogg; codecs=opus', 'audio/ogg'],
    ['audio/ogg; codecs="opus"', 'audio/ogg'],
    ['audio/mpeg; rate=44100', 'audio/mpeg'],
    ['audio/L16;codec=pcm;rate=24000', 'audio/L16;rate=24000'],
    ['audio/l16; rate="24000"; channels=1', 'audio/L16;rate=24000;channels=1'],
    ['audio/L16; channels=2; rate=16000', 'audio/L16;rate=16000;channels=2'],
    ['audio/pcm;rate=24000;', 'audio/pcm;rate=24000'],
    ['audio/x-pcm;rate=8000', 'audio/x-pcm;rate=8000'],
    ['audio/PCMU;rate=8000', 'audio/PCMU;rate=8000'],
    ['audio/L16;rate=24000x', 'audio/L16'],
    ['audio/L16;rate=24000\r\nx: y', 'audio/L16'],
    ['audio/L16;rate=-1', 'audio/L16'],
    ['audio/L16;rate=1234567', 'audio/L16'],
    ['audio/L16;bitrate=24000', 'audio/L16'],
    ['audio/L16;channels=100', 'audio/L16'],
    ['audio/L16;rate=24000, text/html', 'application/octet-stream'],
  ])('%j keeps the parameters its samples need: %s', (given, type) => {
    expect(answerType('media', given)).toBe(type)
  })

  test.each([
    ['text/plain', 'utf-8'],
    ['text/plain; charset=UTF-8', 'utf-8'],
    ['text/plain; charset="gbk"', 'gbk'],
    ['text/vtt;charset=GB18030', 'gb18030'],
    ['text/plain; charset=iso-8859-1', 'iso-8859-1'],
    ['text/html; charset=windows-1252', 'windows-1252'],
    ['text/plain; charset=utf-7', 'utf-8'],
    ['text/plain; charset=iso-2022-jp', 'utf-8'],
    ['text/plain; charset=utf-16', 'utf-8'],
    ['text/plain; charset=gbk, text/html', 'utf-8'],
    ['text/plain; xcharset=gbk', 'utf-8'],
    ['application/x-subrip; charset=gbk', 'utf-8'],
  ])('%j is text in %s', (given, charset) => {
    expect(answerType('text', given)).toBe(`text/plain; charset=${charset}`)
  })
})
