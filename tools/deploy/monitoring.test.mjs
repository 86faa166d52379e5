import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../launcher/install.mjs'

const file = (name) => path.join(ROOT, 'deploy/monitoring', name)
const promtool = (...args) => {
  const { status, stdout, stderr } = spawnSync('/usr/bin/promtool', args, { encoding: 'utf8' })
  return [status, status === 0 ? '' : stdout + stderr]
}

test('Prometheus accepts the alert rules', () => {
  expect(promtool('check', 'rules', file('rules.yml'))).toEqual([0, ''])
})

test('the rules alert when they should, and each is tried', () => {
  expect(promtool('test', 'rules', file('rules.test.yml'))).toEqual([0, ''])
  const rules = parse(readFileSync(file('rules.yml'), 'utf8')).groups.flatMap(
    (group) => group.rules,
  )
  const { tests } = parse(readFileSync(file('rules.test.yml'), 'utf8'))
  const tried = tests
    .flatMap((one) => one.alert_rule_test)
    .filter((one) => one.exp_alerts.length > 0)
  expect(new Set(tried.map((one) => one.alertname))).toEqual(
    new Set(rules.map((rule) => rule.alert)),
  )
})

test('Prometheus parses every expression of the dashboard', () => {
  const { panels } = JSON.parse(readFileSync(file('dashboard.json'), 'utf8'))
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  expect(expressions.length).toBeGreaterThan(10)
  const rules = expressions.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*'),
  }))
  const groups = JSON.stringify({ groups: [{ name: 'panels', rules }] })
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-panels-'))
  try {
    writeFileSync(path.join(folder, 'panels.yml'), groups)
    expect(promtool('check', 'rules', path.join(folder, 'panels.yml'))).toEqual([0, ''])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
