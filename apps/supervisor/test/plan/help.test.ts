// The help is complete: nothing can be set that it does not name, and it names nothing that cannot be set.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allSettings } from '../../src/plan/flags.ts'
import { help } from '../../src/plan/help.ts'

test('the help has the name, the variable and the text of every setting', () => {
  const line = help.replaceAll(/\s+/g, ' ')
  for (const { flag, env, help: text } of allSettings) {
    assert.ok(line.includes(`${text} `), text)
    assert.match(help, flag === undefined ? new RegExp(`^ {2}${env}\\b`, 'm') : new RegExp(`^ {2}--${flag}\\b[^]*?\\[${env}\\b`, 'm'))
  }
})

test('the help names no flag and no variable without a meaning', () => {
  const flags = new Set<string>([...allSettings.flatMap(({ flag }) => flag ?? []), 'help', 'version', 'identity', 'passphrase-file'])
  for (const [, flag = ''] of help.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)) assert.ok(flags.has(flag), flag)
  const variables = new Set<string>(allSettings.flatMap(({ env }) => [env, `${env}_FILE`]))
  for (const [variable] of help.matchAll(/\bSERVICE_[A-Z_]+/g)) assert.ok(variables.has(variable), variable)
})

test('no line of the help is wider than a terminal of 120 columns', () => {
  for (const line of help.split('\n')) assert.ok(line.length <= 120, line)
})

test('no flag and no variable is in two rows', () => {
  for (const names of [allSettings.flatMap(({ flag }) => flag ?? []), allSettings.map(({ env }) => env)])
    assert.equal(new Set(names).size, names.length)
})
