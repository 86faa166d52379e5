import { expect, test } from 'vitest'
import { finish } from './bytes/steps.ts'
import { type ParameterEdits, editParameters, parameterEdits } from './parameter-edits.ts'

const edited = (body: string, set: Record<string, unknown>, removed: string[] = []) => {
  const edits = parameterEdits({ set, removed })
  if (edits === null) throw new Error('no edits')
  return finish(editParameters(Buffer.from(body), edits)).toString()
}

const BODY = '{ "a" : 1.0, "seed":12345678901234567890,\n "o":{ "x" :[1e2], "y":{} } }'

test.each<[string, Record<string, unknown>, string[], string]>([
  ['sets a member', { a: 2 }, [], BODY.replace('1.0', '2')],
  ['adds a member', { b: [1] }, [], BODY.replace('} } }', '} },"b":[1] }')],
  ['adds a null', { b: null }, [], BODY.replace('} } }', '} },"b":null }')],
  ['sets an inner member', { 'o.x': 'é' }, [], BODY.replace('[1e2]', '"é"')],
  ['adds an inner member', { 'o.y.z': 1 }, [], BODY.replace('"y":{}', '"y":{"z":1}')],
  ['adds objects on the way', { 'p.q.r': 1 }, [], BODY.replace('} } }', '} },"p":{"q":{"r":1}} }')],
  ['replaces what is no object', { 'a.b': 1 }, [], BODY.replace('1.0', '{"b":1}')],
  ['removes a member', {}, ['a'], BODY.replace('"a" : 1.0, ', '')],
  ['removes an inner member', {}, ['o.y'], BODY.replace(', "y":{}', '')],
  [
    'changes several of an object',
    { 'o.x': 1, 'o.z': 2 },
    ['o.y'],
    BODY.replace('{ "x" :[1e2], "y":{} }', '{ "x" :1,"z":2 }'),
  ],
  [
    'finds another spelling',
    { A: 2 },
    ['O.X'],
    BODY.replace('1.0', '2').replace('"x" :[1e2], ', ''),
  ],
])('%s and keeps all other bytes', (_, set, removed, expected) => {
  expect(edited(BODY, set, removed)).toBe(expected)
})

test.each([[['b']], [['o.b']], [['a.b']], [['p.q']]])(
  'without %j to remove the body stays the same buffer',
  (removed) => {
    const body = Buffer.from(BODY)
    const edits: ParameterEdits = parameterEdits({ set: {}, removed }) ?? {}
    expect(finish(editParameters(body, edits))).toBe(body)
  },
)

test.each(['[1]', 'x', ''])('%j, which is no object, stays as it is', (body) => {
  expect(edited(body, { a: 1 })).toBe(body)
})

test('nothing to change is null', () => {
  expect(parameterEdits({ set: {}, removed: [] })).toBeNull()
})
