import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { GroupTags } from './group-tags.tsx'

/** Each tag and its text colour. */
const tags = (group: string) =>
  [
    ...renderToStaticMarkup(<GroupTags group={group} />).matchAll(
      /mantine-color-(\w+)-8[^>]*>(\w+)</g,
    ),
  ].map(([, color, name]) => `${name} ${color}`)

test('vip and pro are yellow, svip and premium red, all others grey', () => {
  expect(tags('vip,pro,svip,premium,team')).toEqual([
    'vip yellow',
    'pro yellow',
    'svip red',
    'premium red',
    'team gray',
  ])
})

test('many groups wrap where the height is free', () => {
  const shown = renderToStaticMarkup(<GroupTags group="vip,internal-research" wraps />)
  expect(shown).toContain('flex-wrap:wrap')
})

test('an empty group is the default group', () => {
  expect(tags('')).toEqual(['default gray'])
})
