import { expect, test } from 'vitest'
import { z } from 'zod'
import { isOptionKey, optionKeys, OPTIONS, sectionsOf } from './options.ts'

const SECTIONS = (['operation', 'system', 'other'] as const).flatMap(sectionsOf)

test('every option has one place on the settings pages, and no section is empty', () => {
  expect(SECTIONS.flatMap(({ options }) => options).toSorted()).toEqual(optionKeys.toSorted())
  expect(SECTIONS.filter(({ options }) => options.length === 0)).toEqual([])
})

test('an option whose value is a table names its editor', () => {
  const isBare = ({ default: value, editor }: (typeof OPTIONS)[keyof typeof OPTIONS]) =>
    typeof value === 'object' && editor === undefined
  expect(optionKeys.filter((key) => isBare(OPTIONS[key]))).toEqual([])
})

test('an option with fixed values names an editor', () => {
  const hasFixedValues = (schema: z.ZodType) =>
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).enum !== undefined
  const isBare = ({ schema, editor }: (typeof OPTIONS)[keyof typeof OPTIONS]) =>
    hasFixedValues(schema) && editor === undefined
  expect(optionKeys.filter((key) => isBare(OPTIONS[key]))).toEqual([])
})

test('rows name only options that exist', () => {
  const named = optionKeys.flatMap((key) => {
    const { needs = [], sentTo = [] } = OPTIONS[key]
    return [...needs.flat(), ...sentTo]
  })
  expect(named.filter((key) => !isOptionKey(key))).toEqual([])
})
