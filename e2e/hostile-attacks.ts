type Target = { url: string; key: string }

/** A page of another site; its button starts the attack. */
export type AttackPage = (target: Target) => string

type Attack = [name: string, page: AttackPage]

/** A script that defines `wav`, one second of silence. */
export const RECORDING = `
  const bytes = new Uint8Array(44 + 16000)
  const view = new DataView(bytes.buffer)
  const put = (at, text) => [...text].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)))
  put(0, 'RIFF'); view.setUint32(4, bytes.length - 8, true); put(8, 'WAVEfmt ')
  view.setUint32(16, 16, true); view.setUint16(20, 1, true); view.setUint16(22, 1, true)
  view.setUint32(24, 8000, true); view.setUint32(28, 16000, true)
  view.setUint16(32, 2, true); view.setUint16(34, 16, true)
  put(36, 'data'); view.setUint32(40, 16000, true)
  const wav = new File([bytes], 'a.wav', { type: 'audio/wav' })
`

const FRAME = '<iframe name="f"></iframe>'

const go = (script: string) => `<button onclick="${script}">Go</button>`

const showing = (markup: string) =>
  `<div></div>${go(`document.querySelector('div').innerHTML = \`${markup}\``)}`

const modelsAt = ({ url, key }: Target) => `${url}/v1/models?key=${key}`

/** The browser's text/plain form body, read as JSON, is a chat request. */
const formOfText =
  (target: string): AttackPage =>
  ({ url, key }) =>
    `
  <form method="post" enctype="text/plain" target="${target}" action="${url}/v1/chat/completions?key=${key}">
    <input type="hidden" name='{"model":"page-chat","messages":[{"role":"user","content":"' value='"}]}'>
  </form>
  ${go('document.forms[0].submit()')}`

export const formWithRecording =
  (target: string): AttackPage =>
  ({ url, key }) =>
    `
  <form method="post" enctype="multipart/form-data" target="${target}"
    action="${url}/v1/audio/transcriptions?key=${key}">
    <input type="hidden" name="model" value="whisper-1">
    <input type="hidden" name="response_format" value="text">
    <input type="file" name="file">
  </form>
  ${go('document.forms[0].submit()')}
  <script>
    ${RECORDING}
    const files = new DataTransfer()
    files.items.add(wav)
    document.querySelector('[type=file]').files = files.files
  </script>`

export const FORMS_OF_TEXT: Attack[] = [
  ['a form of text', formOfText('_self')],
  ['a form of text into a frame', (target) => formOfText('f')(target) + FRAME],
  ['a form of text into a window', formOfText('_blank')],
]

export const FORMS_WITH_RECORDING: Attack[] = [
  ['a form with a recording', formWithRecording('_self')],
  ['a form with a recording into a frame', (target) => formWithRecording('f')(target) + FRAME],
  ['a form with a recording into a window', formWithRecording('_blank')],
]

const loadScript = (address: string) =>
  `document.body.append(Object.assign(document.createElement('script'), { src: '${address}' }))`

export const ATTACKS: Attack[] = [
  ...FORMS_OF_TEXT,
  ...FORMS_WITH_RECORDING,
  ['a link', (to) => `<a href="${modelsAt(to)}">x</a>${go('document.links[0].click()')}`],
  ['a page that leads there', (to) => go(`location = '${modelsAt(to)}'`)],
  [
    'a billing query',
    ({ url, key }) => go(`location = '${url}/dashboard/billing/usage?key=${key}'`),
  ],
  ['a new window', (to) => go(`window.open('${modelsAt(to)}')`)],
  ['a frame', (to) => showing(`<iframe src='${modelsAt(to)}'></iframe>`)],
  ['an object', (to) => showing(`<object data='${modelsAt(to)}' type='text/html'></object>`)],
  ['an embedded page', (to) => showing(`<embed src='${modelsAt(to)}' type='text/html'>`)],
  ['a style sheet', (to) => showing(`<link rel='stylesheet' href='${modelsAt(to)}'>`)],
  ['an image', (to) => showing(`<img src='${modelsAt(to)}'>`)],
  ['a sound', (to) => showing(`<audio preload='auto' src='${modelsAt(to)}'></audio>`)],
  ['a script', (to) => go(loadScript(modelsAt(to)))],
]
