// What counts as a decision in a message, and what goes to the agent as it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommand } from '../../src/commands/command.ts'

const id = 'chg_20261122125301.120000000'
const digest = '3f2a9c1b77d0e4a5'

test('a decision is read in the first line, with a name before it, in any letters, with a reason behind it', () => {
  const approve = { outcome: 'approve', change: '125301.12', digest, reason: undefined }
  for (const text of [
    `approve 125301.12 ${digest}`,
    `\n  Approve 125301.12 ${digest.toUpperCase()}\n> quoted`,
    `<@U123> approve 125301.12 ${digest}`,
  ]) {
    assert.deepEqual(parseCommand(text), approve, text)
  }
  assert.deepEqual(parseCommand(`@bot reject ${id} ${digest} not today`), { outcome: 'reject', change: id, digest, reason: 'not today' })
  assert.deepEqual(parseCommand(`approve ${id}`), { outcome: 'approve', change: id, digest: undefined, reason: undefined })
})

test('words that are quoted, or set as code, are not those of who sends them', () => {
  const line = `approve 125301.12 ${digest}`
  const marks = ['"', "'", '`', '``', '```', '(', '> ', '>', '&gt; ', '“', '«', '*', '_', '~', '- ', '| ']
  for (const mark of marks)
    for (const text of [`${mark}${line}`, `${mark}${line}${mark}`, `@bot ${mark}${line}${mark}`, `@bot, ${mark}${line}`])
      assert.equal(parseCommand(text), undefined, text)
  for (const text of [`\`\`\`\n${line}\n\`\`\``, `Kim wrote:\n${line}`]) assert.equal(parseCommand(text), undefined, text)
  assert.equal(parseCommand(`approve 125301.12 \`${digest}\``)?.digest, undefined)
})

test('anything else is for the agent', () => {
  for (const text of [
    'approve',
    'approve it',
    `please approve ${id} ${digest}`,
    `hello\napprove ${id} ${digest}`,
    `approve chg_1 ${digest}`,
    `approved ${id} ${digest}`,
    '',
  ]) {
    assert.equal(parseCommand(text), undefined, text)
  }
})
