import type { CodecFixtures } from '../../../codec/testing/conformance.ts'

/*
 * Based on One API's adaptor (February 2025), the only description of this API that was found.
 */

const MANUAL = { title: '手册', url: 'https://x.example/d1' }
const GUIDE = { title: 'Guide', url: 'https://x.example/d2' }
const REFERENCES = '\n\nReferences:\n\n1. [手册](https://x.example/d1)'

const event = (json: object) => `data:${JSON.stringify({ model: 'gpt-3.5-turbo', ...json })}\n\n`

export const answers: CodecFixtures['answers'] = [
  {
    name: 'with documents',
    body: JSON.stringify({
      success: true,
      answer: '回答',
      documents: [MANUAL, GUIDE],
      errCode: 0,
      message: '',
    }),
    says: {
      text: `回答${REFERENCES}\n2. [Guide](https://x.example/d2)`,
      finish: 'stop',
      usage: null,
    },
  },
  {
    name: 'without documents',
    body: JSON.stringify({ success: true, answer: 'Yes.' }),
    says: { text: 'Yes.', finish: 'stop', usage: null },
  },
]

export const streams: CodecFixtures['streams'] = [
  {
    name: 'with documents at its end',
    bytes:
      event({ content: '知识库', finish: false }) +
      event({ content: '回答', finish: true, documents: [MANUAL] }),
    says: { text: `知识库回答${REFERENCES}`, finish: 'stop', usage: null },
  },
  {
    name: 'without documents',
    bytes: event({ content: 'Yes', finish: false }) + event({ content: '.', finish: true }),
    says: { text: 'Yes.', finish: 'stop', usage: null },
  },
]

export const failures: CodecFixtures['failures'] = [
  {
    name: 'a code where an answer should be',
    body: '{"success":false,"errCode":1001,"message":"insufficient balance"}',
    inStream: false,
    kind: 'quota',
  },
  {
    name: 'a code in the stream',
    body: `${event({ content: 'Y', finish: false })}data:{"success":false,"errCode":5,"message":"unknown"}\n\n`,
    inStream: true,
    kind: 'upstream_fault',
  },
]
