import { expect, test } from 'vitest'
import { numberLimits, optionChoices } from './number-limits.ts'

test('limits and steps of number fields are those of the schemas', () => {
  expect(numberLimits('RetryTimes')).toEqual({ min: 0, max: 10, step: 1, isWhole: true })
  expect(numberLimits('QuotaPerUnit')).toMatchObject({ min: 0.01, step: 0.01, isWhole: false })
  expect(numberLimits('SMTPPort')).toEqual({ min: 1, max: 65_535, step: 1, isWhole: true })
  expect(numberLimits('QuotaRemindThreshold')).toMatchObject({ min: 0, isWhole: true })
  expect(numberLimits('DefaultModelRatio')).toEqual({
    min: 0,
    max: 1_000_000,
    step: 1,
    isWhole: false,
  })
})

test('the choices of an option are the values it accepts', () => {
  expect(optionChoices('UnknownModelStatus')).toEqual(['503', '404'])
  expect(optionChoices('RetryTimes')).toEqual([])
})
