import { expect, test } from 'vitest'
import { isOptionKey, type OptionKey } from '@tollgate/contract'
import { consoleMove } from './moved-console.ts'

const GATE = 'https://gate.example'
const CONSOLE = 'https://console.example'

type Values = Partial<Record<OptionKey, string>>

const move = (stored: Values, changed: Values, host: string) => {
  const changes = Object.entries(changed).flatMap(([key, value]) =>
    isOptionKey(key) ? [{ key, value }] : [],
  )
  const moved = consoleMove(changes, { ServerAddress: '', ConsoleAddress: '', ...stored }, host)
  return moved && `${moved.by} ${moved.address}`
}

test.each<[Values, Values, string, string | null]>([
  [{}, { ServerAddress: GATE }, 'gate.example', null],
  [{}, { ServerAddress: `${GATE}:443/` }, 'gate.example', null],
  [{}, { ServerAddress: GATE }, 'localhost:3000', `ServerAddress ${GATE}`],
  [{}, { ServerAddress: `${GATE}:8443` }, 'gate.example', `ServerAddress ${GATE}:8443`],
  [{ ServerAddress: GATE }, { ServerAddress: '' }, 'gate.example', null],
  [{ ServerAddress: GATE }, { RetryTimes: '3' }, 'localhost:3000', null],
  [
    { ServerAddress: GATE },
    { ConsoleAddress: CONSOLE },
    'gate.example',
    `ConsoleAddress ${CONSOLE}`,
  ],
  [{ ServerAddress: GATE }, { ConsoleAddress: CONSOLE }, 'console.example', null],
])('%j and then %j, at %s: %s', (stored, changed, host, expected) => {
  expect(move(stored, changed, host)).toBe(expected)
})

test('with a console address, the server address moves nothing until that is removed', () => {
  const both = { ServerAddress: GATE, ConsoleAddress: CONSOLE }
  expect(move(both, { ServerAddress: 'https://api.example' }, 'console.example')).toBeNull()
  expect(move(both, { ConsoleAddress: '' }, 'console.example')).toBe(`ServerAddress ${GATE}`)
})
