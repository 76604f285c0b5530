// The help is complete: nothing can be set that it does not name, and it names nothing that cannot be set.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from '../../src/plan/flags.ts'
import { help } from '../../src/plan/help.ts'

test('the help names every flag and every variable that has a meaning', () => {
  for (const row of Object.values(table)) {
    assert.ok(help.includes(row.env) || row.env === 'SERVICE_DEV' || row.env === 'SERVICE_DEMO', row.env)
    if ('flag' in row) assert.match(help, new RegExp(`--${row.flag}\\b`))
  }
})

test('the help names no flag and no variable without a meaning', () => {
  const flags = new Set<string>([
    ...Object.values(table).flatMap((row) => ('flag' in row ? [row.flag] : [])),
    'help',
    'version',
    'identity',
    'passphrase-file',
  ])
  for (const [, flag = ''] of help.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)) assert.ok(flags.has(flag), flag)
  const variables = new Set<string>(Object.values(table).flatMap((row) => [row.env, `${row.env}_FILE`]))
  for (const [variable] of help.matchAll(/\bSERVICE_[A-Z_]+/g)) assert.ok(variables.has(variable), variable)
})
