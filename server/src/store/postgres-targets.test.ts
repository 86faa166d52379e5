import { expect, test } from 'vitest'
import { hostsOf, targetsOf } from './postgres-targets.ts'

test('each host of a list has the user, the database and the parameters', () => {
  expect(hostsOf('postgres://u:p%40@one:5433,[::1]:5434,three/d?x=1')).toEqual([
    'postgres://u:p%40@one:5433/d?x=1',
    'postgres://u:p%40@[::1]:5434/d?x=1',
    'postgres://u:p%40@three/d?x=1',
  ])
  expect(hostsOf('postgres://u@/d?host=/run/one,two')).toEqual([
    'postgres://u@/d?host=/run/one,two',
  ])
})

test('modes of TLS are those of libpq', () => {
  expect(targetsOf('postgres://u@h/d')).toEqual(['postgres://u@h/d'])
  expect(targetsOf('postgres://u@h/d?sslmode=require')).toEqual([
    'postgres://u@h/d?sslmode=require&uselibpqcompat=true',
  ])
  expect(targetsOf('postgres://u@a,b/d?sslmode=prefer')).toEqual([
    'postgres://u@a/d?sslmode=prefer&uselibpqcompat=true',
    'postgres://u@a/d?sslmode=disable&uselibpqcompat=true',
    'postgres://u@b/d?sslmode=prefer&uselibpqcompat=true',
    'postgres://u@b/d?sslmode=disable&uselibpqcompat=true',
  ])
  const own = 'postgres://u@h/d?uselibpqcompat=false&sslmode=require'
  expect(targetsOf(own)).toEqual([own])
})
